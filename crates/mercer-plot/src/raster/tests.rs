use super::*;

fn drawn(svg_body: &str) -> Pixmap {
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"60\" height=\"20\">{svg_body}</svg>"
    );
    Pixmap::decode_png(&png(&svg, 1.0).unwrap()).unwrap()
}

fn ink(svg_body: &str) -> usize {
    drawn(svg_body).pixels().iter().filter(|pixel| pixel.alpha() > 0).count()
}

/// The red, green and blue of a pixel.
fn shade(picture: &Pixmap, x: u32, y: u32) -> [u8; 3] {
    let pixel = picture.pixel(x, y).unwrap().demultiply();
    [pixel.red(), pixel.green(), pixel.blue()]
}

#[test]
fn text_leaves_ink_without_any_system_font() {
    assert!(ink("<text x=\"2\" y=\"14\" font-size=\"12\">component</text>") > 100);
    assert!(ink("<text x=\"2\" y=\"14\" font-size=\"12\">żσдß é</text>") > 60);
}

#[test]
fn text_stands_at_its_anchor() {
    let columns = |anchor: &str| {
        let text =
            format!("<text x=\"30\" y=\"14\" font-size=\"12\" text-anchor=\"{anchor}\">mm</text>");
        let picture = drawn(&text);
        let inked = |x: &u32| (0..20).any(|y| picture.pixel(*x, y).unwrap().alpha() > 0);
        let found: Vec<_> = (0..60).filter(inked).collect();
        [found[0], found[found.len() - 1]]
    };
    assert!(columns("start")[0] >= 30 && columns("end")[1] <= 30);
    let [left, right] = columns("middle");
    assert!((left + right).abs_diff(60) <= 1, "{left} {right}");
}

#[test]
fn bold_text_is_heavier() {
    let text = |weight| format!("<text x=\"2\" y=\"14\" font-size=\"12\"{weight}>axis</text>");
    assert!(ink(&text(" font-weight=\"700\"")) > ink(&text("")));
}

#[test]
fn strokes_of_no_length_are_dots() {
    let paint = "stroke=\"#000\" stroke-width=\"6\" stroke-linecap=\"round\"";
    assert!(ink(&format!("<path d=\"M10 10h0M40 10h0\" {paint}/>")) > 40);
}

#[test]
fn groups_pass_on_their_paint_and_cut() {
    let picture = drawn(
        "<clipPath id=\"c\"><rect x=\"0\" y=\"0\" width=\"10\" height=\"20\"/></clipPath>\
         <g clip-path=\"url(#c)\" fill=\"#f00\"><rect width=\"60\" height=\"10\"/>\
         <g fill=\"#0000ff\"><rect y=\"10\" width=\"60\" height=\"10\"/></g></g>",
    );
    assert_eq!(shade(&picture, 5, 5), [255, 0, 0]);
    assert_eq!(shade(&picture, 5, 15), [0, 0, 255]);
    assert_eq!(picture.pixel(15, 5).unwrap().alpha(), 0);
}

#[test]
fn gradients_go_up() {
    let picture = drawn(
        "<linearGradient id=\"s\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\"><stop offset=\"0\" \
         stop-color=\"#000\"/><stop offset=\"1\" stop-color=\"#fff\"/></linearGradient>\
         <rect width=\"60\" height=\"20\" fill=\"url(#s)\" rx=\"2\"/>",
    );
    let [top, bottom] = [1, 18].map(|y| shade(&picture, 30, y)[0]);
    assert!(top > 200 && bottom < 50, "{top} {bottom}");
    assert_eq!(picture.pixel(0, 0).unwrap().alpha() / 128, 0, "corners are round");
}

#[test]
fn two_halves_of_a_circle_are_the_circle() {
    let halves = drawn("<path d=\"M20 10a8 8 0 1 0 16 0a8 8 0 1 0 -16 0Z\"/>");
    let whole = drawn("<circle cx=\"28\" cy=\"10\" r=\"8\"/>");
    let pairs = halves.pixels().iter().zip(whole.pixels());
    let differences: u32 = pairs.map(|(a, b)| u32::from(a.alpha().abs_diff(b.alpha()))).sum();
    assert!(differences < 255 * 4, "{differences} of {} pixels", 255 * 201);
    assert_eq!(halves.pixel(28, 10).unwrap().alpha(), 255);
}

#[test]
fn quarters_turn_around_their_place() {
    let tall = drawn(
        "<g transform=\"rotate(-90 30 10)\"><rect x=\"22\" y=\"9\" width=\"16\" height=\"2\"/></g>",
    );
    assert_eq!(tall.pixel(30, 3).unwrap().alpha(), 255);
    assert_eq!(tall.pixel(24, 10).unwrap().alpha(), 0);
}

#[test]
fn what_is_not_known_is_an_error() {
    let wrong = [
        "<svg",
        "<svg width=\"9\" height=\"9\"><image/></svg>",
        "<svg width=\"9\" height=\"9\"><rect width=\"1\" height=\"1\" fill=\"red\"/></svg>",
        "<svg width=\"9\" height=\"9\"><path d=\"M0 0q1 1 2 2\"/></svg>",
        "<svg width=\"9\" height=\"9\"><g opacity=\".5\"/></svg>",
        "<svg width=\"9\" height=\"9\"><g clip-path=\"url(#none)\"/></svg>",
        "<svg width=\"0\" height=\"9\"/>",
    ];
    for svg in wrong {
        let message = png(svg, 1.0).unwrap_err().to_string();
        assert!(message.starts_with("the picture cannot be rendered as PNG"), "{message}");
    }
}
