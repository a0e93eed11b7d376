// Entry of the users slice: people, their sessions and keys, and their SMPP identity.
export { createUsers, type Users, type UsersParts } from './create-users.ts'
export type { AccountToReset, OperatorChoice, OperatorReset } from './recovery/reset-by-operator.ts'
export { refuseAdminTarget } from './accounts/rules.ts'
export { accountAlerts } from './accounts/alerts.ts'
export type { SmppAccount } from './smpp/credentials.ts'
export { isSameTreatment, treatmentOf, type SessionTreatment } from './smpp/treatment.ts'
