// Entry of the settings slice: what admins set while the gateway runs. Each slice defines its own settings.
export { createSettings, type Guarded, type Setting, type Settings } from './settings.ts'
export type { BegunBy, PendingChange } from './changes.ts'
export { bindSettingsRoutes, toSettingEntry, type OwnEntry } from './routes.ts'
