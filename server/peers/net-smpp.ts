// Perl's Net::SMPP: the script beside this file, a process for each direction.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../src/platform/process/project.ts'
import { freePort } from '../test/environment/free-port.ts'
import type { PeerProgram, PeerAccount } from './define.ts'
import { onFreePorts } from './on-free-ports.ts'
import { startPeer } from './peer-process.ts'
import { receiptOf } from './receipts.ts'
import { until } from './until.ts'
import type { PeerMessage, SeenMessage } from './messages.ts'

type Line = { readonly ready: true } | { readonly id: string } | { readonly status: number } | SeenMessage

/** Runs the script; settles once it is bound or listens. */
async function run(role: string, account: PeerAccount, messages: readonly PeerMessage[], to: string) {
  const script = join(projectRoot, 'server/peers/net-smpp.pl')
  const [seen, ids]: [SeenMessage[], string[]] = [[], []]
  let isReady = false
  const program = startPeer({
    command: 'perl',
    args: [script, role, String(account.port), account.systemId, account.password, to],
    input: JSON.stringify(messages),
    onLine(text) {
      if (!text.startsWith('{')) return
      const line = JSON.parse(text) as Line
      if ('ready' in line) isReady = true
      else if ('id' in line) ids.push(line.id)
      else if ('hex' in line) seen.push(line)
    },
  })
  await program.readyWhen(() => isReady, 'Net::SMPP did not start')
  return { seen, ids, close: () => program.close() }
}

export const netSmpp: PeerProgram = {
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
    return await onFreePorts(async () => {
      const port = await freePort()
      const account = { port, systemId: '', password: '', destination }
      return { port, ...(await run('serve', account, messages, destination)) }
    })
  },
}
