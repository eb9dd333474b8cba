// Kernel values on a CUDA device, in double precision. Matrices are column-major: entry (i, j) is at [j * ld + i].
//
// `make ptx` compiles this file to kernels.ptx.gz, which is what programs load; a test compares the two.

typedef long long Index;

// --- what is measured between two rows --------------------------------------------------------------------------------

struct Dot {
    __device__ static void add(double &sum, double x, double y) { sum = fma(x, y, sum); }
};
struct SquaredDistance {
    __device__ static void add(double &sum, double x, double y) { double v = x - y; sum = fma(v, v, sum); }
};
struct Manhattan {
    __device__ static void add(double &sum, double x, double y) { sum += fabs(x - y); }
};
struct Minimum {
    __device__ static void add(double &sum, double x, double y) { sum += fmin(x, y); }
};
// Of two zeros the terms of histograms are 0.
struct ChiProduct {
    __device__ static void add(double &sum, double x, double y) {
        double both = x + y;
        if (both > 0.0) sum += 2.0 * (x * (y / both));
    }
};
struct ChiDistance {
    __device__ static void add(double &sum, double x, double y) {
        double both = x + y;
        if (both > 0.0) { double v = x - y; sum += v * (v / both); }
    }
};
struct JensenShannon {
    __device__ static void add(double &sum, double x, double y) {
        double both = x + y;
        if (x > 0.0) sum += 0.5 * x * log2(both / x);
        if (y > 0.0) sum += 0.5 * y * log2(both / y);
    }
};
struct CappedDifference {
    __device__ static void add(double &sum, double x, double y) { sum += fmin(1.0, fabs(x - y)); }
};
struct Mismatches {
    __device__ static void add(double &sum, double x, double y) { sum += x != y ? 1.0 : 0.0; }
};

// --- what becomes of it -----------------------------------------------------------------------------------------------

// The numbers of formulas are those of `formula_code` in eval.rs.
struct Formula {
    int code;
    double a, b, c;

    __device__ __noinline__ double of(double v) const {
        switch (code) {
        case 1: return 1.0;
        case 2: return 1.0 - v / a;
        case 3: {
            double base = fma(a, v, b), power = 1.0;
            for (unsigned n = (unsigned)c; n; n >>= 1) {
                if (n & 1u) power *= base;
                base *= base;
            }
            return power;
        }
        case 4: return exp(-a * v);
        case 5: {
            double s = a * sqrt(fmax(v, 0.0));
            return fma(s, fma(s, c, b), 1.0) * exp(-s);
        }
        case 6: return a == 1.0 ? 1.0 / fma(b, v, 1.0) : exp(-a * log(fma(b, v, 1.0)));
        case 7: return tanh(fma(a, v, b));
        case 8: return -pow(fmax(v, 0.0), a);
        default: return v;
        }
    }
};

// How a value joins what is there: 0 takes its place, 1 is added, 2 is multiplied.
__device__ void join(double &place, double value, int mode) {
    if (mode == 0) place = value;
    else if (mode == 1) place += value;
    else place *= value;
}

// --- tiles of kernel values -------------------------------------------------------------------------------------------

const int SIDE = 64;   // rows and columns of a block of threads' tile
const int STEP = 16;   // features at a time, and threads along each side
const int EACH = 4;    // rows and columns of a thread

// out(i, j) <- scale * formula(sum over features of the term of x_i, y_j), for n rows x_i and m rows y_j of d numbers.
// `UNROLL` features are written out at a time: many where a term is one or two instructions.
template <class Pairing, int UNROLL>
__device__ void tile(const double *x, const double *y, Index n, Index m, int d, double *out, Index ld,
                     Formula formula, double scale, int mode) {
    __shared__ double xs[STEP][SIDE + 1], ys[STEP][SIDE + 1];
    Index row0 = (Index)blockIdx.x * SIDE, col0 = (Index)blockIdx.y * SIDE;
    int tx = threadIdx.x % STEP, ty = threadIdx.x / STEP;
    double sums[EACH][EACH] = {};
    for (int from = 0; from < d; from += STEP) {
        // Along the features of a row, which are neighbours in memory.
        for (int at = threadIdx.x; at < SIDE * STEP; at += STEP * STEP) {
            int row = at / STEP, feature = from + at % STEP;
            bool inside = feature < d;
            xs[at % STEP][row] = inside && row0 + row < n ? x[(row0 + row) * d + feature] : 0.0;
            ys[at % STEP][row] = inside && col0 + row < m ? y[(col0 + row) * d + feature] : 0.0;
        }
        __syncthreads();
#pragma unroll UNROLL
        for (int feature = 0; feature < STEP; feature++) {
            double a[EACH], b[EACH];
            for (int k = 0; k < EACH; k++) {
                a[k] = xs[feature][tx + STEP * k];
                b[k] = ys[feature][ty + STEP * k];
            }
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++) Pairing::add(sums[i][j], a[i], b[j]);
        }
        __syncthreads();
    }
    for (int j = 0; j < EACH; j++) {
        Index col = col0 + ty + STEP * j;
        if (col >= m) continue;
        for (int i = 0; i < EACH; i++) {
            Index row = row0 + tx + STEP * i;
            if (row < n) join(out[col * ld + row], scale * formula.of(sums[i][j]), mode);
        }
    }
}

#define TILE(NAME, PAIRING, UNROLL)                                                                                        \
    extern "C" __global__ void __launch_bounds__(256)                                                              \
        NAME(const double *x, const double *y, Index n, Index m, int d, double *out, Index ld, int code, double a, \
             double b, double c, double scale, int mode) {                                                         \
        tile<PAIRING, UNROLL>(x, y, n, m, d, out, ld, Formula{code, a, b, c}, scale, mode);                                \
    }

TILE(tile_dot, Dot, 8)
TILE(tile_squared_distance, SquaredDistance, 8)
TILE(tile_manhattan, Manhattan, 4)
TILE(tile_minimum, Minimum, 1)
TILE(tile_chi_product, ChiProduct, 1)
TILE(tile_chi_distance, ChiDistance, 1)
TILE(tile_jensen_shannon, JensenShannon, 1)
TILE(tile_capped_difference, CappedDifference, 1)
TILE(tile_mismatches, Mismatches, 1)

// --- entry by entry ---------------------------------------------------------------------------------------------------

// Calls `f(i, j)` for each entry of an n x m matrix, neighbours in a column by neighbouring threads.
template <class F> __device__ void each(Index n, Index m, F f) {
    Index row = (Index)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    for (Index col = blockIdx.y; col < m; col += gridDim.y) f(row, col);
}

// Dot products become kernel values. With squared norms of the rows (distances = 1) they become squared distances first; those of a
// row with itself, which is in place (i, i + shift), are 0.
extern "C" __global__ void finish(double *out, Index n, Index m, Index ld, int distances, const double *xx,
                                  const double *yy, int same, Index shift, int code, double a, double b, double c) {
    Formula formula{code, a, b, c};
    each(n, m, [&](Index i, Index j) {
        double v = out[j * ld + i];
        if (distances) v = same && j == i + shift ? 0.0 : fmax((xx[i] + yy[j]) - 2.0 * v, 0.0);
        out[j * ld + i] = formula.of(v);
    });
}

extern "C" __global__ void merge(double *out, const double *values, Index n, Index m, Index ld, Index values_ld,
                                 double scale, int mode) {
    each(n, m, [&](Index i, Index j) { join(out[j * ld + i], scale * values[j * values_ld + i], mode); });
}

extern "C" __global__ void scale_outer(double *out, Index n, Index m, Index ld, const double *left, const double *right) {
    each(n, m, [&](Index i, Index j) {
        double l = left[i], r = right[j], v = out[j * ld + i];
        out[j * ld + i] = l > r ? v * l * r : v * r * l;
    });
}

extern "C" __global__ void less(double *out, Index n, Index m, Index ld, const double *left, const double *right) {
    each(n, m, [&](Index i, Index j) { out[j * ld + i] = (out[j * ld + i] - left[i]) - right[j]; });
}

extern "C" __global__ void add_diagonal(double *out, Index n, Index ld, double ridge) {
    Index i = (Index)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i * ld + i] += ridge;
}

extern "C" __global__ void read_diagonal(const double *from, Index n, Index ld, double *out) {
    Index i = (Index)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = from[i * ld + i];
}

// --- the Cholesky factor of a block -----------------------------------------------------------------------------------

const int BLOCK = 64;

// The lower triangle of a (n x n, n <= 64) becomes L. Where a pivot is not positive, `failed` becomes 1 and nothing is written.
extern "C" __global__ void factor_block(double *a, int n, Index ld, int *failed) {
    __shared__ double s[BLOCK][BLOCK + 1];
    int t = threadIdx.x;
    if (*failed) return;
    for (int at = t; at < n * n; at += blockDim.x) s[at / n][at % n] = a[(Index)(at / n) * ld + at % n];
    __syncthreads();
    for (int k = 0; k < n; k++) {
        double pivot = s[k][k];
        __syncthreads();
        if (!(pivot > 0.0) || isinf(pivot)) {
            if (t == 0) *failed = 1;
            return;
        }
        double root = sqrt(pivot);
        for (int i = k + t; i < n; i += blockDim.x) s[k][i] = i == k ? root : s[k][i] / root;
        __syncthreads();
        int rest = n - k - 1;
        for (int at = t; at < rest * rest; at += blockDim.x) {
            int j = k + 1 + at / rest, i = k + 1 + at % rest;
            if (i >= j) s[j][i] -= s[k][i] * s[k][j];
        }
        __syncthreads();
    }
    for (int at = t; at < n * n; at += blockDim.x) {
        int j = at / n, i = at % n;
        if (i >= j) a[(Index)j * ld + i] = s[j][i];
    }
}
