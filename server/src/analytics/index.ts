// Entry of the analytics slice: traffic by client, number, range and supplier, on screen and by mail.
export { bindAnalyticsRoutes } from './routes.ts'
export { forgetCounters } from './forget-counters.ts'
export { sendMails } from './mails.ts'
export { countNumberDays } from './number-days.ts'
