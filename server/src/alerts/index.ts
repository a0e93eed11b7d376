// Entry of the alert slice: what is wrong now, and the rules by which people are told.
export { createAlerts, type Alerts } from './create-alerts.ts'
export type { SetupState } from './setup.ts'
export type { AlertSource } from './collect.ts'
export { backupAlerts, certificateAlerts, diskAlerts, replicaAlerts } from './machine.ts'
export { refusedAlerts } from './traffic/refused-messages.ts'
export { clientTrafficAlerts, numberTrafficAlerts, trafficAlerts } from './traffic/usual-traffic.ts'
