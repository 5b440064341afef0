"""Spark: rows of a table of records, and a gate on them."""

import os
import sys

from pyspark.sql import SparkSession

from epitome.spark import compact

path = sys.argv[1] if len(sys.argv) > 1 else "fixtures/demo/sessions.jsonl"
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
rows = compact(spark.read.text(path), column="value", trigger="tokens=4000", keep="messages=4").cache()
rows.select("epitome.thread_id", "epitome.status", "epitome.over_limit").show()
failed = rows.where("epitome.status = 'failed'").count()
spark.stop()
sys.exit(1 if failed else 0)
