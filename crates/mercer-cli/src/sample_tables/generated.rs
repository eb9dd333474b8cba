//! Generated tables.

use std::f64::consts::PI;

use mercer::context::Stream;
use mercer::io::{Column, Table};

/// The share of missing cells in columns of houses that have some.
const MISSING: f64 = 0.05;

/// Prices that depend on area, age and rooms smoothly, and on region and heating by steps. Some ages and some heatings are
/// missing, independently of everything else.
pub(super) fn houses(rows: usize, seed: u64) -> Table {
    const REGIONS: [(&str, f64); 4] =
        [("coast", 90.0), ("city", 140.0), ("hills", 40.0), ("plain", 0.0)];
    const HEATINGS: [(&str, f64); 3] = [("gas", 0.0), ("oil", -15.0), ("heat pump", 25.0)];
    let stream = &mut Stream::new(seed, "houses");
    let mut numbers: [Vec<f64>; 4] = Default::default();
    let mut texts: [Vec<String>; 2] = Default::default();
    for _ in 0..rows {
        let area = (110.0 + 35.0 * stream.normal()).clamp(30.0, 250.0).round();
        let age = (80.0 * stream.uniform().powf(1.5)).round();
        let rooms = (area / 28.0 + 0.7 * stream.normal()).round().max(1.0);
        let (region, heating) = (REGIONS[stream.below(4)], HEATINGS[stream.below(3)]);
        let worn = 60.0 * (1.0 - (-age / 25.0).exp());
        let price = 50.0 + 2.4 * area + 8.0 * rooms - worn + region.1 + heating.1;
        let noise = 12.0 * stream.normal();
        let (no_age, no_heating) = (stream.uniform() < MISSING, stream.uniform() < MISSING);
        let age = if no_age { f64::NAN } else { age };
        let row = [area, age, rooms, (price + noise).round()];
        numbers.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        texts[0].push(region.0.into());
        texts[1].push(if no_heating { String::new() } else { heating.0.into() });
    }
    let names = ["area", "age", "rooms", "region", "heating", "price"].map(String::from);
    let [area, age, rooms, price] = numbers.map(Column::F64);
    let [region, heating] = texts.map(Column::Text);
    // A missing number is an empty cell, as spreadsheets write it.
    let age = Column::Text((0..rows).map(|row| empty_if_nan(&age, row)).collect());
    Table::new(names.into(), vec![area, age, rooms, region, heating, price])
}

fn empty_if_nan(column: &Column, row: usize) -> String {
    match column.number(row) {
        Some(value) if value.is_nan() => String::new(),
        _ => column.text(row),
    }
}

/// Two half circles of radius 1, the second turned and moved into the first.
pub(super) fn moons(rows: usize, seed: u64) -> Table {
    let stream = &mut Stream::new(seed, "moons");
    let (mut x, mut y, mut moon) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..rows {
        let (sin, cos) = (PI * stream.uniform()).sin_cos();
        let (a, b, name) = match row % 2 {
            0 => (cos, sin, "upper"),
            _ => (1.0 - cos, 0.5 - sin, "lower"),
        };
        x.push(rounded(a + 0.1 * stream.normal()));
        y.push(rounded(b + 0.1 * stream.normal()));
        moon.push(name.to_string());
    }
    let names = ["x", "y", "moon"].map(String::from);
    Table::new(names.into(), vec![Column::F64(x), Column::F64(y), Column::Text(moon)])
}

fn rounded(value: f64) -> f64 {
    (1e4 * value).round() / 1e4
}

/// Sentences put together from parts; topics share their verbs and times.
pub(super) fn messages(rows: usize, seed: u64) -> Table {
    const TOPICS: [(&str, [&str; 6], [&str; 6]); 3] = [
        (
            "weather",
            ["heavy rain", "strong wind", "thick fog", "some snow", "bright sunshine", "a storm"],
            ["the coast", "the hills", "the valley", "the islands", "the north", "the plain"],
        ),
        (
            "sport",
            ["the goalkeeper", "our team", "the coach", "a striker", "the referee", "the captain"],
            ["the final", "the match", "the league", "the stadium", "the season", "the cup"],
        ),
        (
            "cooking",
            ["the soup", "fresh bread", "the sauce", "an omelette", "roast potatoes", "the dough"],
            ["the oven", "a pan", "the kitchen", "butter", "olive oil", "garlic"],
        ),
    ];
    const VERBS: [&str; 4] = ["was fine with", "came back to", "will be ready for", "did well in"];
    const TIMES: [&str; 4] = ["today", "this evening", "on sunday", "after all"];
    let stream = &mut Stream::new(seed, "messages");
    let (mut texts, mut topics) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let (topic, subjects, objects) = TOPICS[row % TOPICS.len()];
        let [subject, object] = [subjects[stream.below(6)], objects[stream.below(6)]];
        let [verb, time] = [VERBS[stream.below(4)], TIMES[stream.below(4)]];
        texts.push(format!("{subject} {verb} {object} {time}"));
        topics.push(topic.to_string());
    }
    let names = ["text", "topic"].map(String::from);
    Table::new(names.into(), vec![Column::Text(texts), Column::Text(topics)])
}
