// How PostgreSQL gets to the disk what the system holds in memory: at each commit, and at a start after a crash.
import { statfs } from 'node:fs/promises'
import { release } from 'node:os'

// linux/magic.h: ext2 to ext4, XFS, Btrfs. On others syncfs may do nothing, as over FUSE.
const fileSystems: readonly number[] = [0xef53, 0x58465342, 0x9123683e]

/**
 * How the embedded PostgreSQL gets its files to the disk; everything else stays at PostgreSQL's default.
 *
 * macOS: fsync(2) ends at the disk's own memory, which a power cut empties. Only F_FULLFSYNC reaches the disk, and an
 * acknowledged message must be there.
 *
 * Linux: PostgreSQL opens and syncs each file of the cluster before it recovers: 1,700 files took 2 to 3 s on two busy
 * cores. syncfs(2) does the same in one call. Linux reports its errors since 5.8; where it might hide one, or not write at
 * all, a server would recover on top of what is not on the disk, so there it stays file by file.
 */
export async function syncSettings(
  pgdata: string,
  platform: NodeJS.Platform = process.platform,
): Promise<Readonly<Record<string, string>>> {
  if (platform === 'darwin') return { wal_sync_method: 'fsync_writethrough' }
  if (platform !== 'linux' || !tellsErrors(release())) return {}
  const { type } = await statfs(pgdata)
  return fileSystems.includes(type) ? { recovery_init_sync_method: 'syncfs' } : {}
}

/** Whether this kernel, such as `5.15.0-91-generic`, reports the errors of syncfs. */
export function tellsErrors(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map((part) => Number.parseInt(part, 10))
  return major > 5 || (major === 5 && minor >= 8)
}
