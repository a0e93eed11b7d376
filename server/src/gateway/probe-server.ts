// Test Server Connection: connects to this node's own SMPP port as a peer would, without an account.
import { connect } from 'node:net'
import type { ServerTest } from '@tollgate/contract/gateway/gateway.ts'
import { englishOf, sentence, spoken, type Words } from '@tollgate/contract/sentences.ts'
import { TestSteps } from './test-steps.ts'

const timeoutMs = 5_000
// SMPP 3.4 §4.11: enquire_link, sequence number 1. It is answered before a bind too, though with an error (§2.2).
const enquireLink = Buffer.from('00000010000000150000000000000001', 'hex')
const headerOctets = 16

/** Connects to `host`:`port`, sends enquire_link and reads the answer; never rejects. */
export async function probeServer(host: string, port: number): Promise<ServerTest> {
  const steps = new TestSteps()
  const target = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const fault = await new Promise<Words>((resolve) => {
    const socket = connect({ host: target, port })
    socket.setTimeout(timeoutMs, () => end('The SMPP server does not answer.'))
    socket.on('error', () =>
      end(
        steps.list.length === 0
          ? sentence('Nothing listens on port {port}.', { port: String(port) })
          : 'The SMPP server closed the connection.',
      ),
    )
    socket.on('close', () => end('The SMPP server closed the connection.'))
    socket.on('connect', () => {
      steps.add('TCP', sentence('Port {port} open', { port: String(port) }))
      socket.write(enquireLink)
    })
    let received = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (received.length < headerOctets) return
      const isAnswer = received.readUInt32BE(4) >= 0x80000000 && received.readUInt32BE(12) === 1
      if (isAnswer) steps.add('SMPP', spoken('Answers as an SMPP server'))
      end(isAnswer ? '' : 'What answers on the port is not SMPP.')
    })
    function end(words: Words) {
      socket.destroy()
      resolve(words)
    }
  })
  if (fault === '') return { success: true, port, steps: steps.list }
  steps.add(steps.list.length === 0 ? 'TCP' : 'SMPP', fault, false)
  return { success: false, error: englishOf(fault), port, steps: steps.list }
}
