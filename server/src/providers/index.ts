// Entry of the providers slice: HTTP sources that are polled for records.
export { createProviders, type Providers } from './create-providers.ts'
export { providerTroubles } from './troubles.ts'
export type { PollPace, ProvidersDeps, WorkerEvent } from './deps.ts'
