// Under each attack the messages of everybody else go on as in quiet. server/test/quiet-submit.ts says how to add one.
import { connect } from 'node:net'
import { test } from 'vitest'
import { expectUndisturbed, openQuietStand } from '../test/quiet-submit.ts'

const stand = await openQuietStand()
const port = Number(new URL(stand.program.url).port)

/** Sends the same call again and again on one connection, each when the last was answered. */
function repeat(request: string, isOver: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    isOver.addEventListener('abort', () => socket.destroy())
    socket.on('error', reject).on('close', () => resolve())
    socket.on('data', (chunk: Buffer) => {
      if (chunk.toString('latin1').endsWith('}')) socket.write(request)
    })
  })
}

test('16 KB of nested JSON on three connections is not felt', async () => {
  const body = `${'['.repeat(8_000)}${']'.repeat(8_000)}`
  const request = `POST /api/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  await expectUndisturbed(stand, (isOver) => Promise.all([1, 2, 3].map(() => repeat(request, isOver))))
})
