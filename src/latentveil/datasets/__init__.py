"""Public data sets, one file each: a file here that assigns ``data_set`` is a data set."""

from latentveil.datasets.base import DATA_SETS, DataSet, DataSetSettings, Prepared, Row

__all__ = ["DATA_SETS", "DataSet", "DataSetSettings", "Prepared", "Row"]
