//! Outlier scores, their threshold, and the ranking of rows.

use mercer::Dtype;
use mercer::io::Column;

use crate::results::number_column;

/// Outlier scores.
pub struct OutlierScores {
    /// The score of every row; larger is more anomalous.
    pub scores: Vec<f64>,
    /// A row whose score is above it is an outlier.
    pub threshold: f64,
}

/// Rows by descending score.
pub struct Ranking {
    /// All rows by descending score; ties in row order.
    pub order: Vec<usize>,
    /// Of each row, 1 + the number of rows with larger scores.
    pub ranks: Vec<usize>,
    /// Of each row, the number of rows with smaller scores.
    pub below: Vec<usize>,
}

impl OutlierScores {
    /// Whether a row is an outlier.
    pub fn is_outlier(&self, row: usize) -> bool {
        self.scores[row] > self.threshold
    }

    /// How many rows are outliers.
    pub fn count(&self) -> usize {
        (0..self.scores.len()).filter(|&row| self.is_outlier(row)).count()
    }

    /// The score divided by the threshold; NaN if the threshold is 0, as for identical rows.
    pub fn score_ratio(&self, row: usize) -> f64 {
        match self.threshold > 0.0 {
            true => self.scores[row] / self.threshold,
            false => f64::NAN,
        }
    }

    /// Score, score_ratio and outlier flag for `rows`, as columns of a table.
    pub fn columns(
        &self,
        rows: &[usize],
        dtype: Dtype,
        title: impl Fn(&str) -> String,
    ) -> Vec<(String, Column)> {
        let scores = rows.iter().map(|&row| self.scores[row]);
        let times = rows.iter().map(|&row| self.score_ratio(row));
        let word = |&row: &usize| if self.is_outlier(row) { "yes" } else { "no" };
        vec![
            (title("score"), number_column(scores, dtype)),
            (title("score_ratio"), number_column(times, dtype)),
            (title("outlier"), Column::Text(rows.iter().map(word).map(String::from).collect())),
        ]
    }

    /// The rows by descending score.
    pub fn ranking(&self) -> Ranking {
        let (scores, n) = (&self.scores, self.scores.len());
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let (mut ranks, mut below) = (vec![0; n], vec![0; n]);
        let mut start = 0;
        for equal in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
            let end = start + equal.len();
            equal.iter().for_each(|&row| (ranks[row], below[row]) = (start + 1, n - end));
            start = end;
        }
        Ranking { order, ranks, below }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_share_a_rank() {
        let outliers = OutlierScores { scores: vec![1.0, 4.0, 2.0, 4.0, 0.0], threshold: 2.0 };
        let Ranking { order, ranks, below } = outliers.ranking();
        assert_eq!(order, [1, 3, 2, 0, 4]);
        assert_eq!((ranks, below), (vec![4, 1, 3, 1, 5], vec![1, 3, 2, 3, 0]));
        assert_eq!((outliers.count(), outliers.score_ratio(1)), (2, 2.0));
    }

    #[test]
    fn identical_rows_have_no_outliers() {
        let outliers = OutlierScores { scores: vec![0.0; 3], threshold: 0.0 };
        assert_eq!((outliers.count(), outliers.ranking().ranks), (0, vec![1; 3]));
        assert!(outliers.score_ratio(0).is_nan());
    }
}
