// Front door of the gateway slice: binds of peers, deliveries over them, connections to upstreams, the flight recorder.
export { createGateway, type Gateway, type GatewayDeps } from './create-gateway.ts'
export { createDeliveries, type Deliveries } from './deliver/create-deliveries.ts'
export { bindSteps } from './deliver/timeline.ts'
export { FlightRecorder } from './flight-recorder/recorder.ts'
export { createConnections, type Connections } from './connections/create-connections.ts'
export { createInterconnection } from './interconnection/create-interconnection.ts'
export { defineLinkSettings } from './connections/link-settings.ts'
export type { ConnectionStatusChange } from './connections/deps.ts'
