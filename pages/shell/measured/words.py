"""The words of the page that measures, both languages side by side."""

from __future__ import annotations

from lessons.kit.text import Text, same

TITLE = Text("Measured on this machine", "在这台机器上实测")
LEAD = Text(
    "The lessons count: operations, bytes moved, bytes resident. **A count is not a speed-up**: how long a machine "
    "takes also depends on its caches, "
    "its libraries and what each call costs. So here the same operations are timed on the machine that serves this "
    "page; you see where a counted "
    "saving becomes time, and where it does not.",
    "各课里的数字都是数出来的：运算次数、搬运字节、驻留字节。**次数少不等于更快**：一台机器要花多少时间，还取决于它的"
    "缓存、所用的库，以及每次调用的开销。"
    "所以这里在运行本页面的机器上给同样的操作计时，看看数出来的节约在哪里变成了时间，在哪里没有。",
)
OFF = Text(
    "Measuring is switched off on this server (`MEASURE=off` in its environment), because a run keeps the whole "
    "machine busy. "
    "Start the app on your own computer to measure there.",
    "这台服务器关闭了实测（环境变量 `MEASURE=off`），因为一次测量会占满整台机器。请在自己的电脑上启动本应用来实测。",
)
COMMAND = Text("The same without this page:", "不用本页面，也可以直接运行：")
COMMAND_LINE = "python -m engine.measure --quick --json run.json"

# What is found

LOOKING = Text("NumPy is here. Looking for PyTorch and a GPU …", "NumPy 可用。正在查找 PyTorch 和 GPU……")
LOOK_AGAIN = Text("Look again", "重新查找")
ADD_TORCH = Text(
    "Looked for the Python package `torch`, in the app’s own environment. To add it: `pip install -r "
    "requirements-gpu.txt`, then *Look again*. "
    "Without it everything else works.",
    "在应用自己的环境里找过 Python 包 `torch`。要加上它：运行 `pip install -r requirements-gpu.txt`，再按“重新查找”。"
    "没有它，其他功能都照常。",
)

# What to measure

FILL = Text("Fill in", "填入")
PRESET = {
    "quick": Text("Quick", "快速"),
    "full": Text("Full", "完整"),
    "cuda-quick": Text("GPU, quick", "GPU 快速"),
    "cuda-full": Text("GPU, full", "GPU 完整"),
}
OPERATIONS = Text("Operations", "操作")
OPERATION = {
    "attention": Text("Attention", "注意力"),
    "tiles": Text("Tile sizes", "分块大小"),
    "decode": Text("Decoding", "解码"),
    "paged": Text("Paged attention", "分页注意力"),
    "copy": Text("Copy", "复制"),
    "product": Text("Matrix product", "矩阵乘积"),
}
ALWAYS = Text("All of them, and the two ceilings", "各项共用，以及两个上限")
BUDGET = Text("Budget", "预算")
BACKENDS = Text("Where", "在哪里算")
BACKEND = {
    "numpy": same("NumPy"),
    "torch-cpu": Text("PyTorch, CPU", "PyTorch（CPU）"),
    "torch-cuda": Text("PyTorch, GPU", "PyTorch（GPU）"),
}
DTYPES = Text("Number type", "数值类型")
FIELDS = Text("Sizes and budget", "大小与预算")
NOTHING_CHOSEN = {
    "backends": Text("**Where**: choose at least one.", "**在哪里算**：至少选一项。"),
    "dtypes": Text("**Number type**: choose at least one.", "**数值类型**：至少选一项。"),
}
CEILINGS_ALONE = Text(
    "No operation is chosen: only the two ceilings, a copy and a matrix product, will be measured.",
    "没有选操作：只测两个上限，即复制和矩阵乘积。",
)
WAY = {
    "plain": Text("plain formula", "普通公式"),
    "tiled": Text("our tiles", "我们的分块"),
    "sdpa-math": same("SDPA math"),
    "sdpa-efficient": same("SDPA efficient"),
    "sdpa-flash": same("SDPA flash"),
    "sdpa-cudnn": same("SDPA cuDNN"),
    "uncached": Text("without cache", "无缓存"),
    "cached": Text("with cache", "有缓存"),
    "contiguous": Text("contiguous", "连续存放"),
    "gathered": Text("gathered first", "先拼再算"),
    "block-by-block": Text("block by block", "逐块计算"),
    "copy": Text("copy", "复制"),
    "product": Text("matrix product", "矩阵乘积"),
}
COUNTED_IN = Text("What is timed, and the lesson that counts it", "测的是什么，哪一课数过它")
EXPLAINED = {
    "attention": Text(
        "Attention of n queries on n keys: by the plain formula, which stores the whole table of scores; by our "
        "tiles, which never do; with "
        "PyTorch also by each kernel of its `scaled_dot_product_attention` (SDPA) that is offered.",
        "n 个查询对 n 个键的注意力：普通公式，会保存整张分数表；我们的分块，从不保存；有 PyTorch 时，还有它的 "
        "`scaled_dot_product_attention`（SDPA）提供的各个内核。",
    ),
    "tiles": Text("The same attention at one length, tile size by tile size.", "同一长度的注意力，逐个换分块大小。"),
    "decode": Text(
        "Decoding token by token, without a cache (the whole prefix again at every step) and with one.",
        "逐个 token 解码：无缓存（每一步都重算整个前缀）与有缓存。",
    ),
    "paged": Text(
        "One query against a long context: keys and values side by side in memory; through a block table, gathered "
        "first; "
        "through a block table, block by block.",
        "一个查询对一段长上下文：键和值连续存放；经块表，先拼到一起再算；经块表，逐块计算。",
    ),
    "copy": Text(
        "A copy and a matrix product, always: what this device reaches at best, the ceilings that everything else is "
        "held against.",
        "复制与矩阵乘积，每次都测：这台设备最好能达到多少，其他结果都拿它们作上限来比。",
    ),
}

# Before, while, after

ESTIMATE = Text("Estimate time and memory", "估计时间与内存")
ESTIMATING = Text("Estimating …", "正在估计……")
STARTING = Text("Starting …", "正在启动……")
MEASURE = Text("Measure now", "开始测量")
STALE = Text("The choice has changed since the estimate.", "估计之后选择已改变。")
CANCEL = Text("Cancel", "取消")
STOP_WAITING = Text("Stop waiting", "不等了")
LEAVE_ENDS = Text(
    "Stay on this page: a run that nobody watches ends by itself.", "请停留在本页：没有人看着的测量会自行结束。"
)
LEFT = Text(
    "The run ended by itself, because nobody watched it: this page was left, or could not be reached.",
    "测量已自行结束，因为没有人看着它：离开了本页，或与本页的连接中断。",
)
CANCELLED = Text("Cancelled. Nothing had been measured yet.", "已取消，还没有测出结果。")
NOTHING_FITS = Text("Nothing of this can be measured here.", "这些在这里都无法测量。")

# Results

RESULTS = Text("Results", "结果")
NONE_YET = Text(
    "No results yet: estimate and measure above, or open a run saved earlier.",
    "还没有结果：在上面估计并测量，或打开以前保存的结果。",
)
SHOW = Text("Show", "显示")
COMPARE = Text("Compare with", "对比")
NO_COMPARISON = Text("nothing", "不对比")
OPEN = Text("Open a saved run (JSON)", "打开保存的结果（JSON）")
OPEN_HELP = Text("a file that *Download as JSON* gave, here or elsewhere", "由“下载 JSON”得到的文件，来自这里或别处")
DOWNLOAD_JSON = Text("Download as JSON", "下载 JSON")
DOWNLOAD_CSV = Text("Download as CSV", "下载 CSV")
SAYS = Text("What the timings say", "计时结果说明什么")
GROWTH = Text("How time grows", "时间怎样增长")
GROWTH_NOTE = Text(
    "Both axes are logarithmic, so a power of n is a straight line and its slope is the power. Bars reach from the "
    "10th to the 90th percentile; the dotted "
    "line is the counted law of operations, laid through the largest size of the first way.",
    "两轴都是对数刻度，所以 n 的幂是一条直线，斜率就是指数。竖线从第 10 到第 90 百分位；点线是数出来的运算次数的规"
    "律，经过第一种做法在最大尺寸处的点。",
)
SLOPES_NOTE = Text(
    "*Slope* is fitted over all sizes; *at the end* is between the two largest, where fixed costs weigh least. "
    "Beside them the slopes of what is counted, over the "
    "same sizes: operations, bytes that must move, bytes that this way moves, array operations issued from Python.",
    "**斜率**由全部尺寸拟合；**末段**只看最大的两个尺寸，那里固定开销的影响最小。旁边是同样尺寸上数出来的各量的斜率："
    "运算次数、必须搬运的字节、这种做法搬运的字节、"
    "从 Python 发出的数组操作次数。",
)
TILE_CHART = Text("Tile sizes", "分块大小")
TILE_NOTE = Text(
    "Small tiles pay for many calls, large ones no longer fit the caches. The dotted line is the plain formula at "
    "the same length.",
    "分块太小，调用次数多；太大，缓存放不下。点线是同一长度的普通公式。",
)
ROOFLINE = Text("Roofline", "屋顶线")
ROOFLINE_NOTE = Text(
    "The roof is this run’s own copy and matrix product. A point on the roof takes the least time that these allow; "
    "above it, caches served what was "
    "counted as memory. Only bytes that must move are counted here, not those that a way moves beside.",
    "屋顶来自这次测量自己的复制与矩阵乘积。落在屋顶上的点，用的就是它们允许的最短时间；高于屋顶，说明按内存计的数据其"
    "实来自缓存。"
    "这里只计必须搬运的字节，不计某种做法额外搬运的。",
)
PLACE = Text("Place and number type", "位置与数值类型")
ALL_PLACES = Text("all together", "全部一起")
QUANTITY = Text("Shown", "显示")
TIME, MEMORY = Text("time", "时间"), Text("extra memory", "额外内存")
TABLE = Text("All timings", "全部计时")
TABLE_NOTE = Text(
    "Median with 10th and 90th percentile. *Noise*: by how much repeats of the same thing differ; a smaller "
    "difference is called none. *Of floor*: the least "
    "time that the ceilings allow, as a share of the time taken. *Error*: distance from float64.",
    "中位数，以及第 10 和第 90 百分位。**噪声**：同一件事重复时相差多少；更小的差别算作没有。**占下限**：上限所允许的"
    "最短时间占实际时间的比例。**误差**：与 float64 的差。",
)
SKIPPED = Text("Left out", "未测的项目")
LOST = Text("Nothing was timed in this run.", "这次没有测出任何结果。")
ENDED = {
    "done": Text("complete", "完整"),
    "out of time": Text("its time ran out before the end", "时间用完，没有测完"),
    "cancelled": Text("cancelled before the end", "中途取消"),
}
HOST = {
    "python": same("Python"),
    "system": Text("system", "系统"),
    "machine": Text("architecture", "架构"),
    "processor": Text("processor", "处理器"),
    "cores": Text("cores", "核心数"),
    "load": Text("load", "负载"),
}
LEARN = Text(
    "Measured, not counted: only these timings are called speed.", "这些是测出来的，不是数出来的：只有计时才能谈快慢。"
)

HEADS = {
    "operation": Text("operation", "操作"),
    "way": Text("way", "做法"),
    "place": Text("where", "位置"),
    "dtype": Text("number type", "数值类型"),
    "n": same("n"),
    "tile": Text("tile", "分块"),
    "median": Text("median, ms", "中位数，ms"),
    "p10": Text("p10, ms", "p10，ms"),
    "p90": Text("p90, ms", "p90，ms"),
    "noise": Text("noise, %", "噪声，%"),
    "runs": Text("runs", "次数"),
    "peak": Text("extra memory, MiB", "额外内存，MiB"),
    "share": Text("of floor, %", "占下限，%"),
    "bound": Text("bound by", "受限于"),
    "error": Text("error", "误差"),
    "slope": Text("slope", "斜率"),
    "last": Text("at the end", "末段"),
    "operations": Text("operations", "运算次数"),
    "must_move": Text("must move", "必须搬运"),
    "moves": Text("moves", "搬运"),
    "issued": Text("issued", "发出的操作"),
    "this": Text("shown, ms", "显示的，ms"),
    "other": Text("the other, ms", "对比的，ms"),
    "ratio": Text("shown ÷ the other", "显示的 ÷ 对比的"),
    "verdict": Text("difference", "差别"),
}
BOUND = {True: Text("memory", "内存"), False: Text("products", "乘积")}
VERDICT = {"faster": Text("faster", "更快"), "slower": Text("slower", "更慢"), "none": Text("none", "没有")}
OTHER_DEVICE = Text("another device", "另一台设备")
AXIS_TIME, AXIS_MEMORY = Text("seconds", "秒"), Text("bytes", "字节")
AXIS_TILE = Text("tile size", "分块大小")
AXIS_INTENSITY, AXIS_RATE = (
    Text("operations per byte that must move", "每个必须搬运的字节对应的运算次数"),
    Text("operations/s", "每秒运算次数"),
)
AXIS_N = {
    "attention": Text("length n", "长度 n"),
    "decode": Text("tokens decoded", "解码的 token 数"),
    "paged": Text("context length n", "上下文长度 n"),
}
COUNTED = Text("counted", "数出")
LAW = Text("counted operations", "数出的运算次数")
ROOF = Text("the device’s own roof", "设备自己的屋顶")
COMPARED = Text("Two runs", "两次结果")
CHOOSE_OTHER = Text("Choose a run to compare with, above.", "请在上面选择一次对比的结果。")
NOTHING_COMMON = Text("The two runs have no timing in common.", "两次结果没有相同的项目。")
COMPARED_NOTE = Text(
    "What both runs timed. A difference is named only between runs of one device, and only where it exceeds the noise.",
    "两次都测过的项目。只有同一台设备的结果才说差别，而且只在差别超过噪声时才说。",
)
NOT_TIMED = Text("Not timed in this run.", "这次没有测。")
NO_ROOF = Text(
    "This run timed no copy and no matrix product, so it has no roof.", "这次没有测复制和矩阵乘积，所以没有屋顶。"
)
