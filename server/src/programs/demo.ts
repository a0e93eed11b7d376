// `npm run demo`: the same gateway with demo people, numbers and history, and suppliers that send over real SMPP.
import { listenForSignals } from '../platform/process/signals.ts'

if (process.argv[2] === 'supplier') {
  const { runSupplier } = await import('./demo/supplier.ts')
  await runSupplier()
} else {
  const signals = listenForSignals()
  const { runDemo } = await import('./demo/run-demo.ts')
  process.exit(await runDemo(signals, process.argv[1] ?? ''))
}
