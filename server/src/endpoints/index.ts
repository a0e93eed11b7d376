// Entry of the endpoints slice: HTTP endpoints that records are delivered to as signed webhooks.
export { createEndpoints, type Endpoints, type EndpointsDeps } from './create-endpoints.ts'
export { deliverySettingKey, defineDeliverySwitch, type IsDelivering } from './delivery-switch.ts'
export { oneEvent } from './enqueue-events.ts'
export { expireDeliveries } from './delivery-store.ts'
export { deliverMessages } from './message-deliveries.ts'
export { deliverySteps } from './timeline.ts'
export { endpointAlerts } from './alerts.ts'
export { viewDeliveryQueue, viewEndpoints } from './views.ts'
