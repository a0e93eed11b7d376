// What a running program holds in memory when its garbage is left out.
import { kill } from 'node:process'
import { WebSocket } from 'undici'
import { eventually } from './eventually.ts'

/** The environment of a program whose memory is to be read: where its inspector will listen. */
export const inspectedOn = (port: number) => ({ NODE_OPTIONS: `--inspect-port=127.0.0.1:${port}` })

/**
 * Collects the garbage of the program and gives what it then holds, in MB: objects of JavaScript, buffers included. The
 * program was started with {@link inspectedOn} this port.
 */
export async function heldMb({ pid }: { readonly pid: number }, port: number): Promise<number> {
  // Node opens its inspector at this signal, and stays as quick as without until somebody connects.
  kill(pid, 'SIGUSR1')
  const targets = (await eventually(async () =>
    (await fetch(`http://127.0.0.1:${port}/json/list`)).json(),
  )) as readonly { readonly webSocketDebuggerUrl: string }[]
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '')
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('the inspector cannot be reached')))
  })
  let calls = 0
  const call = (method: string, params: object = {}) =>
    new Promise<{ readonly result: { readonly value: number } }>((resolve) => {
      const id = (calls += 1)
      socket.addEventListener('message', ({ data }) => {
        const answer = JSON.parse(String(data))
        if (answer.id === id) resolve(answer.result)
      })
      socket.send(JSON.stringify({ id, method, params }))
    })
  // What the first collection frees may hold on to other things.
  for (let turn = 0; turn < 2; turn += 1) await call('HeapProfiler.collectGarbage')
  const expression = '(({ heapUsed, external }) => (heapUsed + external) / 1048576)(process.memoryUsage())'
  const { result } = await call('Runtime.evaluate', { expression })
  socket.close()
  return result.value
}
