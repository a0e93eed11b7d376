// Entry of the connections slice: our SMPP links to outside gateways, and the page that watches all links.
export { createConnections, type Connections } from './create-connections.ts'
export { createInterconnection } from './interconnection/create-interconnection.ts'
export { eraseSends } from './erase-sender.ts'
export { connectionAlerts } from './connection-alerts.ts'
export { defineLinkSettings } from './link-settings.ts'
export type { ConnectionStatusChange } from './deps.ts'
