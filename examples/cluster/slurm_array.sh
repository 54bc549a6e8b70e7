#!/usr/bin/env bash
# Eight tasks on one store: each claims shares of the videos, and what a task that dies leaves, the others do.
#   sbatch examples/cluster/slurm_array.sh /shared/videos /shared/raw.store
# The store must be on a file system that all nodes see, or behind a URL (s3://bucket/raw.store).
#SBATCH --job-name=veil-extract
#SBATCH --array=0-7
#SBATCH --cpus-per-task=4
#SBATCH --mem=8G
#SBATCH --time=12:00:00
#SBATCH --requeue
set -euo pipefail
videos=$1
store=$2

export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
veil extract "$videos" -o "$store" --encoder i3d --workers "$SLURM_CPUS_PER_TASK" --shard-videos 8
