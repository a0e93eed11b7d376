// What a client is told, as the bell and the notices of a coming rate read it.
import { alertRoutes, type OwnNotification } from '@tollgate/contract/alerts/alerts.ts'
import { useApiQuery } from '../api/use-api.ts'
import { formatDay } from '../format/dates.ts'
import { formatCount, formatRate } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { t } from '../language/t.ts'

export const useOwnNotifications = () =>
  useApiQuery(alertRoutes.listOwnNotifications, {}, { refetchIntervalMs: 60_000 })

/** "0.050 USD → 0.045 USD from 30/11/2026". */
export const rateChange = ({
  before,
  usdPerSms,
  startsAt,
}: Extract<OwnNotification, { kind: 'rate' | 'price' }>) =>
  t('{before} → {after} per SMS from {day}', {
    before: formatRate(before),
    after: formatRate(usdPerSms),
    day: formatDay(startsAt),
  })

/** The numbers whose price changes: one by its digits, several by their count. */
export const pricedNumbers = ({ number, count }: Extract<OwnNotification, { kind: 'price' }>) =>
  count === 1 ? formatPhone(number) : t('{count} numbers', { count: formatCount(count) })
