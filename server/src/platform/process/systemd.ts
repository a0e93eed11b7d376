// Tells systemd, where it started us with Type=notify, when we are ready, stop and still live. Node.js has no datagram
// sockets of Unix, so systemd's own program sends the words.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

type Environment = Readonly<Record<string, string | undefined>>

export interface SystemdNotices {
  ready(address: string): Promise<void>
  /** Nothing is sent after it but that the stop has begun. */
  stopping(): Promise<void>
}

const run = promisify(execFile)

/** The notices of this process; they do nothing where systemd did not ask for them. `onFault` hears of a failure once. */
export function systemdNotices(environment: Environment, onFault: (error: Error) => void): SystemdNotices {
  let watchdog: NodeJS.Timeout | undefined
  let hasFailed = false
  const send = async (...words: string[]) => {
    if (environment['NOTIFY_SOCKET'] === undefined) return
    await run('systemd-notify', words).catch((error: Error) => {
      if (!hasFailed) onFault(error)
      hasFailed = true
    })
  }
  return {
    async ready(address) {
      await send('--ready', `--status=Ready: ${address}`)
      const everyMs = Number(environment['WATCHDOG_USEC'] ?? 0) / 3_000
      // A gateway whose thread is blocked sends nothing, and systemd starts another one.
      if (everyMs > 0) watchdog = setInterval(() => void send('WATCHDOG=1'), everyMs).unref()
    },
    async stopping() {
      clearInterval(watchdog)
      await send('STOPPING=1', '--status=Stopping')
    },
  }
}
