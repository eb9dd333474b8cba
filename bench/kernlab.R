# Kernel matrices of texts by kernlab, asked for line by line; see kernlab.py.
#
# Arguments: a file with one text a line, then type, length and decay of stringdot().
# Each line read from the standard input is answered by the line "done":
#   compute   computes the matrix of all texts
#   a path    writes that matrix there, as doubles
suppressPackageStartupMessages(library(kernlab))

arguments <- commandArgs(trailingOnly = TRUE)
texts <- as.list(readLines(arguments[1]))
kernel <- stringdot(
  type = arguments[2], length = as.integer(arguments[3]), lambda = as.double(arguments[4]),
  normalized = TRUE
)
commands <- file("stdin", "r")
cat("ready\n")
repeat {
  command <- readLines(commands, 1)
  if (length(command) == 0) break
  if (command == "compute") {
    result <- kernelMatrix(kernel, texts)
  } else {
    writeBin(as.double(result), command)
  }
  cat("done\n")
}
