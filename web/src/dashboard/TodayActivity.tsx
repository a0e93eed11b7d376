import { RefreshNote } from '../api/RefreshNote.tsx'
import { toDayInput } from '../format/dates.ts'
import { RecordsLink } from '../money/RecordsLink.tsx'
import { useOpenRecords } from '../money/use-open-records.ts'
import { trafficPath } from '../paths.ts'
import { BarChart, type Bar } from '../ui/charts/BarChart.tsx'
import { Card } from '../ui/Card.tsx'
import { useTodayActivity } from './queries.ts'
import { Unfetched } from '../api/FetchFailure.tsx'
import { t } from '../language/t.ts'
import { wordLocale } from '../language/reader.ts'

const two = (value: number) => String(value).padStart(2, '0')
const weekday = new Intl.DateTimeFormat(wordLocale(), { weekday: 'long', timeZone: 'UTC' })
const dayMs = 86_400_000

const series = [
  { label: t('Delivered'), colour: 1 },
  { label: t('Pending'), colour: 2 },
  { label: t('Failed'), colour: 3 },
] as const

/** Messages by hour, with yesterday as a line. Spec §2, Today's Activity. */
export function TodayActivity({ now }: { now: number }) {
  const activity = useTodayActivity()
  const runningHour = new Date(now).getUTCHours()
  const today = toDayInput(now)
  const openRecords = useOpenRecords()
  const bars: readonly Bar[] | undefined = activity.data?.hours.map(
    ({ hour, delivered, pending, failed }) => {
      const compare = activity.data.previous[hour]
      const label = `${two(hour)}:00 – ${two(hour + 1)}:00`
      const url = trafficPath({ hour: `${today}T${two(hour)}` })
      return {
        label,
        tick: hour % 3 === 0 ? `${two(hour)}:00` : '',
        lead: (
          <RecordsLink url={url} label={t('SMS records of {at}', { at: label })}>
            {label}
          </RecordsLink>
        ),
        onOpen: () => openRecords(url),
        values: [delivered, pending, failed],
        isRunning: hour === runningHour,
        ...(compare !== undefined && { compare }),
      }
    },
  )
  return (
    <Card title={t("Today's Activity")}>
      {bars ? (
        <>
          <BarChart
            label={t('Messages by hour today')}
            totalLabel={t('Messages Processed')}
            compareLabel={weekday.format(now - dayMs)}
            series={series}
            bars={bars}
          />
          <RefreshNote of={[activity]} />
        </>
      ) : (
        <Unfetched
          of={activity}
          title={t('Failed to fetch stats')}
          className="h-72 w-full max-sm:h-[25rem]"
        />
      )}
    </Card>
  )
}
