// Perl's Net::SMPP: the script beside this file, a process for each direction.
import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../src/platform/process/project.ts'
import { freePort } from '../test/free-port.ts'
import type { Peer, PeerAccount } from './define.ts'
import { receiptOf } from './receipts.ts'
import { until } from './until.ts'
import type { PeerMessage, SeenMessage } from './messages.ts'

type Line = { readonly ready: true } | { readonly id: string } | { readonly status: number } | SeenMessage

/** Runs the script; settles once it is bound or listens. */
async function run(role: string, account: PeerAccount, messages: readonly PeerMessage[], to: string) {
  const script = join(projectRoot, 'server/peers/net-smpp.pl')
  const args = [script, role, String(account.port), account.systemId, account.password, to]
  const child = spawn('perl', args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((settle) => child.once('close', () => settle()))
  const [seen, ids]: [SeenMessage[], string[]] = [[], []]
  let isReady = false
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as Line
    if ('ready' in line) isReady = true
    else if ('id' in line) ids.push(line.id)
    else if ('hex' in line) seen.push(line)
  })
  child.stdin.end(JSON.stringify(messages))
  const close = async () => {
    child.kill()
    await ended
  }
  await until(() => isReady || child.exitCode !== null, 'Net::SMPP did not bind')
  if (!isReady) throw new Error('Net::SMPP ended before it was bound.')
  return { seen, ids, close }
}

export const netSmpp: Peer = {
  name: 'Net::SMPP',
  install: 'apt-get install libnet-smpp-perl',
  quirks: [
    'A call that waits for its answer ignores every PDU that comes before: a receipt is then never answered, and comes again later. Send with `async => 1` and read with `read_pdu`, as the script of this command does.',
  ],
  async version() {
    try {
      const { stdout } = await promisify(execFile)('perl', ['-MNet::SMPP', '-e', 'print Net::SMPP->VERSION'])
      return stdout
    } catch {
      return undefined
    }
  },
  async submit(account, messages) {
    const { seen, ids, close } = await run('submit', account, messages, account.destination)
    const delivered = () => seen.flatMap(receiptOf)
    await until(() => ids.length === messages.length && delivered().length > 0)
    await close()
    return { ids, delivered: delivered() }
  },
  receive: (account) => run('receive', account, [], ''),
  async serve(messages, destination) {
    const port = await freePort()
    const { seen, close } = await run(
      'serve',
      { port, systemId: '', password: '', destination },
      messages,
      destination,
    )
    return { port, seen, close }
  },
}
