"""Programs that try to break the software: hostile files, kills at any moment, full disks, damaged shards."""
