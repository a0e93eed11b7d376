// Entry of the providers slice: HTTP sources that are polled for records.
export { createProviders, type Providers } from './create-providers.ts'
export { providerAlerts } from './alerts.ts'
export { eraseLetters, lettersWith } from './letters-with.ts'
export type { PollPace, ProvidersDeps, WorkerEvent } from './deps.ts'
