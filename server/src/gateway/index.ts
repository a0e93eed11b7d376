// Front door of the gateway slice: peers bound to us, and the SMPP answers they get.
export { createGateway, type Gateway, type GatewayDeps } from './create-gateway.ts'
export type { MessageStore, OutboundLinks, SmppAccounts } from './needs.ts'
export { createDeliveries, type Deliveries, type DeliveriesDeps } from './deliver/create-deliveries.ts'
export { bindSteps } from './deliver/timeline.ts'
export { createConnections, type Connections } from './connections/create-connections.ts'
export { createInterconnection } from './interconnection/create-interconnection.ts'
export { defineLinkSettings } from './interconnection/link-settings.ts'
export type { ConnectionNews, ConnectionsDeps } from './connections/deps.ts'
