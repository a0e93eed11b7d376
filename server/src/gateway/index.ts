// Entry of the gateway slice: binds of peers, their messages, deliveries over binds, the flight recorder.
export { createGateway, type Gateway, type GatewayDeps } from './create-gateway.ts'
export { createDeliveries, type Deliveries } from './deliver/create-deliveries.ts'
export { bindSteps } from './deliver/timeline.ts'
export { FlightRecorder } from './flight-recorder/recorder.ts'
export { createSimulator } from './simulator/create-simulator.ts'
export { refusedBindAlerts } from './binds/refused-bind-alerts.ts'
export { keyOfStyledId } from './inbound/views.ts'
export { readStyledId } from './message/message-id-style.ts'
export { peerMessageIds } from './message/peer-message-ids.ts'
export { LostAnswers } from './lost-answers/lost-answers.ts'
export type { HoldStore, MessageStore } from './deps.ts'
export { clusterView, bindReply, liveBinds } from './binds/views.ts'
export { MinuteRate } from './minute-rate.ts'
export { countPdu, sessionFaults, sessions } from './metrics.ts'
export type { PeerRef } from './lost-answers/store.ts'
export { AnswerTracker } from './lost-answers/answer-tracker.ts'
export { destinationDigits, printableAddress, submittedSourceAddress } from './message/address.ts'
export {
  storeAndAnswerRepetition,
  type RepetitionDeps,
  type StoredId,
} from './lost-answers/store-repetition.ts'
export { textOctets, withSarHeader } from './message/content.ts'
export { defaultIdStyle } from './message/message-id-style.ts'
export { TestSteps } from './test-steps.ts'
export { refusalStatuses } from './binds/admit-bind.ts'
export { recordIdsAnsweredWith } from './message/answered-ids.ts'
export { failureStatuses } from './inbound/submit.ts'
