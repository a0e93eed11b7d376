// A program of another implementation as a child process that never outlives this one.
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { until } from './until.ts'

export interface PeerProcess {
  /** Waits until the condition holds; throws with the program's last words when it ends before. */
  readyWhen(holds: () => boolean, complaint: string): Promise<void>
  close(): Promise<void>
}

interface PeerCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly folder?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
  /** Called with each line of stdout and stderr. */
  readonly onLine: (line: string) => void
}

const alive = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

const linesKept = 5
// Kannel 1.4.5 may wait for an answer to its unbind for good.
const endsWithinMs = 3_000

export function startPeer({ command, args, folder, environment, input, onLine }: PeerCommand): PeerProcess {
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, ...environment } })
  alive.add(child)
  const lines: string[] = []
  const hear = (line: string) => {
    lines.push(line)
    if (lines.length > linesKept) lines.shift()
    onLine(line)
  }
  let isOver = false
  const ended = new Promise<void>((settle) => {
    const end = () => {
      isOver = true
      alive.delete(child)
      settle()
    }
    child.once('close', end)
    child.once('error', (error) => {
      lines.push(error.message)
      end()
    })
  })
  createInterface({ input: child.stdout }).on('line', hear)
  createInterface({ input: child.stderr }).on('line', hear)
  // A program that has ended takes no input; its end is noticed elsewhere.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input ?? '')
  return {
    async readyWhen(holds, complaint) {
      await until(() => holds() || isOver, `${complaint}: ${lines.join(' ')}`)
      if (!holds()) throw new Error(`${complaint}: ${lines.join(' ')}`)
    },
    async close() {
      child.kill()
      const timer = setTimeout(() => child.kill('SIGKILL'), endsWithinMs)
      await ended
      clearTimeout(timer)
    },
  }
}
