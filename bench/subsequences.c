/* Gap-weighted subsequences, the plain dynamic programme (Lodhi et al. 2002), one thread.

   K'_0(i, j) = 1; for q = 1 … p - 1, over prefixes of s and t:
     K''_q(i, j) = decay · K''_q(i, j - 1) + [s_i = t_j] · decay² · K'_{q-1}(i - 1, j - 1)
     K'_q(i, j)  = decay · K'_q(i - 1, j) + K''_q(i, j)
   k(s, t) = Σ_{i, j} [s_i = t_j] · decay² · K'_{p-1}(i - 1, j - 1)

   O(p · |s| · |t|) steps, and two tables of (|s| + 1) × (|t| + 1) numbers. */
#include <math.h>
#include <stdlib.h>

/* `before` and `after` hold (n + 1) × (m + 1) numbers each. */
static double kernel(const unsigned char *s, int n, const unsigned char *t, int m, int p,
                     double decay, double *before, double *after) {
    const int width = m + 1;
    const double square = decay * decay;
    for (int i = 0; i < (n + 1) * width; i++) before[i] = 1.0;
    for (int q = 1; q < p; q++) {
        for (int j = 0; j < width; j++) after[j] = 0.0;
        for (int i = 1; i <= n; i++) {
            const double *diagonal = before + (i - 1) * width;
            const double *above = after + (i - 1) * width;
            double *row = after + i * width;
            double along = 0.0;
            row[0] = 0.0;
            for (int j = 1; j <= m; j++) {
                along *= decay;
                if (s[i - 1] == t[j - 1]) along += square * diagonal[j - 1];
                row[j] = decay * above[j] + along;
            }
        }
        double *swap = before;
        before = after;
        after = swap;
    }
    double sum = 0.0;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++)
            if (s[i - 1] == t[j - 1]) sum += square * before[(i - 1) * width + j - 1];
    return sum;
}

/* The normalised matrix of `count` texts, laid end to end; `start` has count + 1 places.
   Returns 0, or 1 where memory is lacking. */
int subsequences(const unsigned char *texts, const long *start, int count, int p, double decay,
                 double *out) {
    long longest = 0;
    for (int i = 0; i < count; i++)
        if (start[i + 1] - start[i] > longest) longest = start[i + 1] - start[i];
    const size_t cells = (size_t)(longest + 1) * (longest + 1);
    double *before = malloc(cells * sizeof(double)), *after = malloc(cells * sizeof(double));
    if (!before || !after) return 1;
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++)
            out[(size_t)i * count + j] =
                kernel(texts + start[i], start[i + 1] - start[i], texts + start[j],
                       start[j + 1] - start[j], p, decay, before, after);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            const double scale = sqrt(out[(size_t)i * count + i] * out[(size_t)j * count + j]);
            out[(size_t)i * count + j] /= scale;
            out[(size_t)j * count + i] = out[(size_t)i * count + j];
        }
    for (int i = 0; i < count; i++) out[(size_t)i * count + i] = 1.0;
    free(before);
    free(after);
    return 0;
}
