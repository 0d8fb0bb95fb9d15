"""Where matrices of a mesh have entries: a block of 3x3 for any two nodes of one tetrahedron.

The pattern is symmetric and found once; a kernel fills in the numbers. It is kept by columns, for direct solvers.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, csr_array, tril, triu


@dataclass(frozen=True, eq=False, repr=False)
class Pattern:
    """Rows and starts of columns of a (3n, 3n) matrix, and where each tetrahedron's blocks are in its data."""

    tets: np.ndarray  # (m, 4)
    indices: np.ndarray  # rows (nnz,)
    indptr: np.ndarray  # starts of columns (3n + 1,)
    slots: np.ndarray  # of the first entry of each block (m, 4, 4)
    widths: np.ndarray  # entries of a column of each node (n,)

    @classmethod
    def of(cls, tets: np.ndarray, nodes: int) -> "Pattern":
        """The pattern of tetrahedra (m, 4) over so many nodes."""
        row, column = np.broadcast_arrays(tets[:, :, None], tets[:, None, :])
        keys, place = np.unique(column.ravel() * nodes + row.ravel(), return_inverse=True)
        rows, columns = keys % nodes, keys // nodes
        blocks = np.bincount(columns, minlength=nodes)
        starts = np.concatenate([[0], np.cumsum(blocks)])
        slots = 9 * starts[columns] + 3 * (np.arange(len(keys)) - starts[columns])
        widths = 3 * blocks
        indptr = np.concatenate([[0], np.cumsum(np.repeat(widths, 3))])
        # entry p of a column of a node is in row 3 rows[block] + i of its block p // 3, i = p % 3
        column_of = np.repeat(np.arange(3 * nodes), np.repeat(widths, 3))
        at = np.arange(indptr[-1]) - indptr[column_of]
        indices = 3 * rows[starts[column_of // 3] + at // 3] + at % 3
        return cls(
            tets,
            indices.astype(np.int32),
            indptr.astype(np.int32),
            np.ascontiguousarray(slots[place].reshape(-1, 4, 4), dtype=np.int64),
            widths.astype(np.int64),
        )

    def zeros(self, scalar: type) -> np.ndarray:
        """Data of a matrix of zeros."""
        return np.zeros(len(self.indices), scalar)

    def matrix(self, data: np.ndarray) -> csc_array:
        """The matrix with this data."""
        size = len(self.indptr) - 1
        return csc_array((data, self.indices, self.indptr), shape=(size, size))

    def multiples_of_identity(self, blocks: np.ndarray) -> csc_array:
        """The sum of blocks (m, 4, 4) of all tetrahedra, each number standing for so much of the identity."""
        data, columns = self.zeros(np.float64), self.widths[self.tets][:, None, :]
        for j in range(3):
            np.add.at(data, self.slots + j * columns + j, blocks)
        return self.matrix(data)


@dataclass(frozen=True, eq=False, repr=False)
class NodePattern:
    """The same blocks node by node, each row's from left to right, of 9 numbers one column after the other."""

    starts: np.ndarray  # of the row of each node among the blocks (n + 1,)
    columns: np.ndarray  # node of each block
    diagonal: np.ndarray  # block of each node on the diagonal (n,)
    slots: np.ndarray  # of the first number of each block of a tetrahedron (m, 4, 4)

    @classmethod
    def of(cls, tets: np.ndarray, nodes: int) -> "NodePattern":
        """The pattern of tetrahedra (m, 4) over so many nodes."""
        row, column = np.broadcast_arrays(tets[:, :, None], tets[:, None, :])
        keys, place = np.unique(row.ravel() * nodes + column.ravel(), return_inverse=True)
        rows, columns = keys // nodes, keys % nodes
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=nodes))]).astype(np.int64)
        slots = np.ascontiguousarray(9 * place.reshape(-1, 4, 4), dtype=np.int64)
        return cls(starts, columns.astype(np.int64), np.flatnonzero(rows == columns).astype(np.int64), slots)


@dataclass(frozen=True, eq=False, repr=False)
class FactorPattern:
    """Where factors of a matrix between free nodes have blocks, each row's from left to right."""

    starts: np.ndarray  # of the row of each node among the blocks (n + 1,)
    columns: np.ndarray  # node of each block
    diagonal: np.ndarray  # block of each node on the diagonal (n,)
    complete: bool  # does nothing fill in elsewhere?

    @classmethod
    def of(cls, pattern: NodePattern, free: int, most: float) -> "FactorPattern":
        """That of the matrix, and what fills in as rows are eliminated, where that makes it `most` times as large.

        Rounds of filling go on until nothing more fills in, which makes the factors complete, or until the limit.
        """
        count = int(pattern.starts[free])
        rows = np.repeat(np.arange(free), np.diff(pattern.starts[: free + 1]))
        inside = pattern.columns[:count] < free
        own = rows[inside], pattern.columns[:count][inside]
        filled = csr_array((np.ones(len(own[0]), bool), own), shape=(free, free))
        limit, grown = most * filled.nnz, True
        while grown:
            more = (filled + tril(filled, -1, format="csr") @ triu(filled, 1, format="csr")).astype(bool)
            complete = more.nnz == filled.nnz
            grown = not complete and more.nnz <= limit
            filled = more if grown else filled
        filled.sort_indices()
        row = np.repeat(np.arange(free), np.diff(filled.indptr))
        numbers = (filled.indptr, filled.indices, np.flatnonzero(row == filled.indices))
        return cls(*(np.ascontiguousarray(array, dtype=np.int64) for array in numbers), complete)
