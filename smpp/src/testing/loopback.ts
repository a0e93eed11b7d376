// Tests that need several loopback addresses.
import { once } from 'node:events'
import net from 'node:net'

/**
 * Calls `define` to register tests that use addresses of 127.0.0.0/8 besides 127.0.0.1. Linux has all of them. macOS
 * has only 127.0.0.1 unless others are added; then this prints what is not tested.
 */
export async function withManyLoopbacks(what: string, define: () => void): Promise<void> {
  if (process.platform !== 'darwin' || (await isOurs('127.7.0.1'))) define()
  else
    console.warn(
      `!! NOT TESTED: ${what}. This machine has only 127.0.0.1; Linux has the addresses that these tests use.`,
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
