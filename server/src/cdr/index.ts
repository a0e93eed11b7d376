// Entry of the cdr slice: records that leave as files by the hour or the day.
export { createCdr, type Cdr, type CdrDeps } from './create-cdr.ts'
export { cdrAlerts } from './alerts.ts'
