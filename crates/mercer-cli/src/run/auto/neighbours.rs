//! Nearest neighbours, a baseline: exact, with the number of neighbours chosen by inner folds.

use mercer::gram::{matrix, matrix_bytes};
use mercer::select::Fold;
use mercer::{Context, Error, Input, KernelSpec, Mat, Result, Samples, SpecKernel};

use super::truth::Answers;

/// The numbers of neighbours that are compared.
const COUNTS: [usize; 5] = [1, 3, 7, 15, 31];

/// A fitted model: the training rows and the number of neighbours.
pub struct Neighbours {
    kernel: SpecKernel<f64>,
    x: Samples<f64>,
    /// k(x, x) of each training row.
    squares: Vec<f64>,
    answers: Answers,
    /// The number of neighbours.
    pub k: usize,
}

impl Neighbours {
    /// Chooses the number of neighbours by `folds`; of equal ones the smallest.
    pub fn fit(
        ctx: &Context,
        kernel: &KernelSpec,
        input: &Input<'_>,
        answers: &Answers,
        folds: &[Fold],
    ) -> Result<Self> {
        let x = samples(input)?;
        let kernel = SpecKernel::new(&kernel.resolve(&x)?)?;
        let values = values(ctx, &kernel, &x, None)?;
        let squares: Vec<f64> = (0..x.n()).map(|row| values[(row, row)]).collect();
        let mut losses = [0.0; COUNTS.len()];
        for fold in folds {
            for &row in &fold.test {
                ctx.poll()?;
                let near = nearest(values.row(row), &squares, fold.train.iter().copied());
                for (loss, k) in losses.iter_mut().zip(COUNTS) {
                    *loss += error(answers, row, &answer(answers, &near, k));
                }
            }
        }
        let best =
            (0..COUNTS.len()).fold(0, |best, i| if losses[i] < losses[best] { i } else { best });
        Ok(Self { kernel, x, squares, answers: answers.clone(), k: COUNTS[best] })
    }

    /// The answers for new rows.
    pub fn predict(&self, ctx: &Context, input: &Input<'_>) -> Result<Answers> {
        let rows = samples(input)?;
        let values = values(ctx, &self.kernel, &rows, Some(&self.x))?;
        let one = |row: usize| {
            let near = nearest(values.row(row), &self.squares, 0..self.x.n());
            answer(&self.answers, &near, self.k)
        };
        let all: Vec<Answer> = (0..rows.n()).map(one).collect();
        Ok(match &self.answers {
            Answers::Classes(_) => Answers::Classes(all.iter().map(|one| one.class).collect()),
            Answers::Values(_) => Answers::Values(all.iter().map(|one| one.value).collect()),
        })
    }
}

/// One answer: a class or a number.
struct Answer {
    class: usize,
    value: f64,
}

fn samples(input: &Input<'_>) -> Result<Samples<f64>> {
    match input {
        Input::Samples(x) => x.to_type(),
        _ => Err(Error::Shape("nearest neighbours need samples".into())),
    }
}

fn values(
    ctx: &Context,
    kernel: &SpecKernel<f64>,
    rows: &Samples<f64>,
    others: Option<&Samples<f64>>,
) -> Result<Mat<f64>> {
    let (m, n) = (rows.n(), others.unwrap_or(rows).n());
    let hint = "compare on fewer rows (--max-rows), or raise the memory budget";
    ctx.need("nearest neighbours", matrix_bytes::<f64>(m, n), hint)?;
    let mut values = Mat::try_zeros(m, n)?;
    matrix(ctx, kernel, rows, others, values.view_mut())?;
    Ok(values)
}

/// The nearest of `others`, the nearest first, as many as are ever asked for. The squared distance of x and y is
/// k(x, x) + k(y, y) − 2 k(x, y), whose first part is the same for all y.
fn nearest(values: &[f64], squares: &[f64], others: impl Iterator<Item = usize>) -> Vec<usize> {
    let most = COUNTS[COUNTS.len() - 1];
    let mut all: Vec<(f64, usize)> =
        others.map(|other| (squares[other] - 2.0 * values[other], other)).collect();
    let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if all.len() > most {
        all.select_nth_unstable_by(most, order);
        all.truncate(most);
    }
    all.sort_by(order);
    all.into_iter().map(|(_, other)| other).collect()
}

/// The most frequent class of the first `k`, of equally frequent ones the nearest; or their mean.
fn answer(answers: &Answers, near: &[usize], k: usize) -> Answer {
    let near = &near[..k.min(near.len())];
    match answers {
        Answers::Classes(places) => {
            let votes = |class: usize| near.iter().filter(|&&row| places[row] == class).count();
            let better = |best: usize, other: usize| {
                if votes(other) > votes(best) { other } else { best }
            };
            let class = near.iter().map(|&row| places[row]).reduce(better).unwrap_or(0);
            Answer { class, value: f64::NAN }
        }
        Answers::Values(values) => {
            let sum: f64 = near.iter().map(|&row| values[row]).sum();
            Answer { class: 0, value: sum / near.len() as f64 }
        }
    }
}

/// 1 for a wrong class, 0 for the right one; the squared error of a number.
fn error(answers: &Answers, row: usize, found: &Answer) -> f64 {
    match answers {
        Answers::Classes(places) => f64::from(u8::from(places[row] != found.class)),
        Answers::Values(values) => (values[row] - found.value).powi(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::auto::folds;
    use mercer::Dense;

    fn rows(n: usize, shift: f64) -> Vec<f64> {
        (0..3 * n).map(|i| ((i as f64 + shift) * 1.37).sin() * 3.0).collect()
    }

    /// The same by two loops over Euclidean distances.
    fn naive(train: &[f64], truth: &[usize], row: &[f64], k: usize) -> usize {
        let distance =
            |i: usize| -> f64 { (0..3).map(|j| (train[3 * i + j] - row[j]).powi(2)).sum() };
        let mut order: Vec<usize> = (0..truth.len()).collect();
        order.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        let votes = |class: usize| order[..k].iter().filter(|&&i| truth[i] == class).count();
        (0..2).max_by_key(|&class| votes(class)).unwrap()
    }

    #[test]
    fn neighbours_are_those_of_a_naive_loop() {
        let (train, test) = (rows(60, 0.0), rows(20, 0.5));
        let truth: Vec<usize> = (0..60).map(|i| usize::from(train[3 * i] > 0.2)).collect();
        let answers = Answers::Classes(truth.clone());
        let strata: Vec<Vec<usize>> =
            (0..2).map(|class| (0..60).filter(|&i| truth[i] == class).collect()).collect();
        let inner = folds::inner(&strata, 0).unwrap();
        let input =
            |values: &[f64]| Input::from(&Dense::from_rows(values, values.len() / 3, 3).unwrap());
        let ctx = Context::new(1);
        let linear: KernelSpec = "linear".parse().unwrap();
        let model = Neighbours::fit(&ctx, &linear, &input(&train), &answers, &inner).unwrap();
        let mistakes = |k: usize| -> usize {
            let wrong = |fold: &Fold, &row: &usize| {
                let known: Vec<f64> =
                    fold.train.iter().flat_map(|&i| train[3 * i..3 * i + 3].to_vec()).collect();
                let classes: Vec<usize> = fold.train.iter().map(|&i| truth[i]).collect();
                naive(&known, &classes, &train[3 * row..3 * row + 3], k) != truth[row]
            };
            inner.iter().map(|fold| fold.test.iter().filter(|row| wrong(fold, row)).count()).sum()
        };
        let best = COUNTS.into_iter().min_by_key(|&k| mistakes(k)).unwrap();
        assert_eq!(model.k, best);
        let expected = test.chunks(3).map(|row| naive(&train, &truth, row, best)).collect();
        assert_eq!(model.predict(&ctx, &input(&test)).unwrap(), Answers::Classes(expected));
    }

    #[test]
    fn numbers_are_means_and_ties_go_to_the_nearest() {
        let values = Answers::Values(vec![1.0, 2.0, 6.0]);
        assert_eq!(answer(&values, &[2, 0, 1], 2).value, 3.5);
        assert_eq!(answer(&values, &[2, 0, 1], 31).value, 3.0);
        let classes = Answers::Classes(vec![0, 1, 1, 0]);
        assert_eq!(answer(&classes, &[1, 0, 3, 2], 4).class, 1);
    }
}
