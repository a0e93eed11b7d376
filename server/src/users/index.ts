// Entry of the users slice: people, their sessions and keys, their SMPP identity, and the settings.
export { createUsers, type Users, type UsersParts } from './create-users.ts'
export type { AccountToReset, OperatorChoice, OperatorReset } from './recovery/reset-by-operator.ts'
export { refuseAdminTarget } from './accounts/rules.ts'
export { accountTroubles } from './accounts/troubles.ts'
export type { Setting, Settings, SettingView } from './settings/settings.ts'
export type { SessionTreatment, SmppAccount } from './smpp/credentials.ts'
