from httpx2 import *
