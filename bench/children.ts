// The child processes of a measurement beside the gateway: the answering servers and the load generator.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { running, whenSays, type RunningProcess } from '@tollgate/server/test/environment/children.ts'
import type { LoadOptions, LoadResult } from './load.ts'

/** The built bench, which runs each of its child processes under a name. */
export const program = join(import.meta.dirname, 'bench.js')

/** Starts one of the servers of accept-only.ts. */
export async function startAnswering(kind: 'ours' | 'npm'): Promise<RunningProcess> {
  const child = spawn(process.execPath, [program, kind], { stdio: ['pipe', 'pipe', 'inherit'] })
  return running(child, Number(await whenSays(child, /^(\d+)\n/)), 'SIGKILL')
}

/** Runs the load generator as a child process; rejects when the signal ends it. */
export async function load(options: LoadOptions, signal?: AbortSignal): Promise<LoadResult> {
  const child = spawn(process.execPath, [program, 'load'], { stdio: ['pipe', 'pipe', 'inherit'] })
  signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true })
  child.stdin.end(JSON.stringify(options))
  return JSON.parse(await whenSays(child, /^(\{.*\})\n/)) as LoadResult
}
