"""SciPy's special functions, imported without the parts of NumPy that SciPy loads with them and no figure needs.

While it is imported, SciPy copies all of NumPy's names, which loads NumPy's translator of Fortran, its tools for tests
and more: more memory than the special functions themselves, and as much time. So the names of modules that aren't
loaded yet have the value None until the copy is made.
"""

import numpy as np

_names = ("char", "core", "ctypeslib", "f2py", "ma", "polynomial", "random", "rec", "strings", "testing")
_not_loaded = [name for name in _names if name not in vars(np)]
vars(np).update(dict.fromkeys(_not_loaded))
try:
    from scipy.special import bdtr as bdtr
    from scipy.special import betainc as betainc
    from scipy.special import betaincinv as betaincinv
    from scipy.special import betaln as betaln
    from scipy.special import chdtri as chdtri
    from scipy.special import erfc as erfc
    from scipy.special import fdtri as fdtri
    from scipy.special import gammaln as gammaln
    from scipy.special import logit as logit
    from scipy.special import ndtr as ndtr
    from scipy.special import ndtri as ndtri
    from scipy.special import roots_legendre as roots_legendre
    from scipy.special import stdtr as stdtr
    from scipy.special import stdtrit as stdtrit
    from scipy.special import xlog1py as xlog1py
    from scipy.special import xlogy as xlogy
finally:
    for _name in _not_loaded:
        if vars(np)[_name] is None:
            delattr(np, _name)
