// Entry of the trouble slice: what is wrong now, and the rules by which people are told.
export { createTrouble, type Troubles } from './create-trouble.ts'
export type { TroubleSource } from './collect.ts'
export { refusedTroubles } from './traffic/refused-messages.ts'
export { trafficTroubles } from './traffic/usual-traffic.ts'
