// The gateway's entry. It handles signals before it loads anything that takes time, so that none is missed.
import { listenForSignals } from './platform/process/signals.ts'
import { keepHeapTight } from './platform/process/tight-heap.ts'

keepHeapTight()
const signals = listenForSignals()
const { runGateway } = await import('./run-gateway.ts')
process.exit(await runGateway({ signals }))
