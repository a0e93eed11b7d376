// Front door of the endpoints slice: HTTP addresses that records are handed on to as signed webhooks.
export { createEndpoints, type Endpoints, type EndpointsDeps } from './create-endpoints.ts'
export { deliverySteps } from './timeline.ts'
