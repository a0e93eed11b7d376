// A bare Debian in a folder, from its packages, and a machine that runs on a copy of it: namespaces of its own, without a
// network and without systemd, whose tools are there all the same.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect } from 'vitest'

const exec = promisify(execFile)

// Heard as the file is read: vitest never calls an afterAll that a running test asks for.
const left: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of left.toReversed()) await end()
})

/** A folder on a disk, not in memory, that is removed after the test file. */
export async function folderOnDisk(): Promise<string> {
  const folder = await mkdtemp('/var/tmp/tollgate-debian-')
  left.push(() => exec('rm', ['-rf', '--one-file-system', folder]))
  return folder
}

/** Puts a Debian 13 with these packages into a folder that is removed after the test file; gives its path. */
export async function makeBareDebian(packages: readonly string[]): Promise<string> {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/mmdebstrap'))
    throw new Error(
      'This test makes a bare Debian. It needs root on Linux and mmdebstrap: apt-get install mmdebstrap.',
    )
  const root = join(await folderOnDisk(), 'root')
  const include = `--include=${[...new Set(packages)].join(',')}`
  // Nothing of it has to outlive a power cut.
  const lean = ['--aptopt=APT::Install-Recommends "false"', '--dpkgopt=force-unsafe-io']
  // Its mounts of this machine's /dev stay its own: they must be in no reach of what removes the folder, also when a test that
  // takes too long is given up.
  await exec('unshare', [
    '--mount',
    'mmdebstrap',
    '--variant=apt',
    include,
    ...lean,
    '--quiet',
    'trixie',
    root,
  ])
  return root
}

export interface BareMachine {
  /** The root of its files, as this machine sees it. */
  readonly root: string
  /** Runs a shell's commands as root in /root; gives what they print, and throws when one fails. */
  readonly run: (commands: string) => Promise<string>
  /** Starts a shell's commands without waiting for their end. */
  readonly start: (commands: string) => ChildProcess
}

const paths = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * Starts a machine on a folder, which it changes; whatever runs on it ends after the test file. It has a loopback of its own
 * and no other network, or the network of this machine.
 */
export async function startMachine(root: string, network: 'none' | 'ours' = 'none'): Promise<BareMachine> {
  // Its root has to be a mount, so that a part of it can be made read-only.
  const begin = `mount --bind ${root} ${root} && mount --rbind /dev ${root}/dev && mount -t proc proc ${root}/proc &&
    ip link set lo up && exec chroot ${root} sleep infinity`
  const apart = network === 'none' ? ['--net'] : []
  const holder = spawn(
    'unshare',
    ['--mount', ...apart, '--pid', '--fork', '--kill-child', 'sh', '-c', begin],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const ended = new Promise((resolve) => holder.once('close', resolve))
  left.push(() => (holder.kill('SIGKILL'), ended))
  const pid = await childOf(holder)
  await expect.poll(() => readFile(`/proc/${pid}/comm`, 'utf8')).toBe('sleep\n')
  const entering = `--target ${pid} --mount --net --pid --root env -i HOME=/root ${paths} sh -euc`.split(' ')
  const inside = (commands: string) => [...entering, `cd /root\n${commands}`]
  return {
    root,
    run: async (commands) => (await exec('nsenter', inside(commands), { cwd: '/' })).stdout,
    start: (commands) => spawn('nsenter', inside(commands), { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] }),
  }
}

/** The process that unshare has forked, by its number outside. */
async function childOf({ pid }: ChildProcess): Promise<string> {
  let child = ''
  const read = async () => (child = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim())
  await expect.poll(read).toMatch(/^\d+$/)
  return child
}
