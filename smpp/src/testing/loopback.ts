// Where this machine can be called from by itself.
import { once } from 'node:events'
import net from 'node:net'

/**
 * Has `define` register the tests that call from more addresses of 127.0.0.0/8 than 127.0.0.1. Linux has them all, and
 * there nothing is left out; macOS has the one, unless others are added, and then this says aloud what is not tested.
 */
export async function withManyLoopbacks(what: string, define: () => void): Promise<void> {
  if (process.platform !== 'darwin' || (await isOurs('127.7.0.1'))) define()
  else
    console.warn(
      `!! NOT TESTED: ${what}. This machine has 127.0.0.1 alone; Linux has what these tests call from.`,
    )
}

async function isOurs(address: string): Promise<boolean> {
  const server = net.createServer().listen(0, address)
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  server.close()
  return isListening
}
