// A webhook receiver in a process of its own: counts webhooks and their age. It prints its port, and for each line of stdin
// a line of figures since the last one.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The figures since the last line. */
export interface Received {
  readonly count: number
  /** From the receipt of the PDU to the arrival here, both by this machine's clock. */
  readonly p50Ms: number
  readonly p95Ms: number
  readonly maxMs: number
  readonly cpuMs: number
}

/** Runs until its input closes. */
export function receive(): void {
  let agesMs: number[] = []
  let cpu = process.cpuUsage()
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      const at = /"createdAt":"([^"]+)"/.exec(text)?.[1]
      agesMs.push(at === undefined ? 0 : Date.now() - Date.parse(at))
      response.writeHead(204).end()
    })
  })
  server.keepAliveTimeout = 60_000
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', () => {
    const sorted = agesMs.toSorted((one, other) => one - other)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    const { user, system } = process.cpuUsage(cpu)
    const figures: Received = {
      count: sorted.length,
      p50Ms: at(0.5),
      p95Ms: at(0.95),
      maxMs: sorted.at(-1) ?? 0,
      cpuMs: Math.round((user + system) / 1_000),
    }
    agesMs = []
    cpu = process.cpuUsage()
    process.stdout.write(`${JSON.stringify(figures)}\n`)
  })
  process.stdin.on('end', () => process.exit(0))
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
}
