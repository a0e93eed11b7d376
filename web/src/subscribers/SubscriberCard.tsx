import { subscribersRoutes, type SubscriberFindings } from '@tollgate/contract/subscribers/subscribers.ts'
import { Download, Eraser, Search } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { useFileExport } from '../api/use-file-export.ts'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { fieldOf, isToldAtFields, showFieldErrors, useApiForm } from '../api/use-api-form.ts'
import { useApiMutation } from '../api/use-api.ts'
import { formatCount } from '../format/money.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { TextField } from '../ui/Field.tsx'
import { PhoneNumber } from '../ui/PhoneNumber.tsx'
import { EmptyState } from '../ui/States.tsx'
import { t } from '../language/t.ts'
import { tNodes } from '../language/t-nodes.tsx'
import { EraseDialog } from './EraseDialog.tsx'
import { Erasures } from './Erasures.tsx'
import { kindWords } from './kinds.ts'

const formSchema = z.object({ number: z.string().min(1, t('Enter a number')) })

/** Answers a person who asks what is stored of his number, or wants it erased. */
export function SubscriberCard() {
  const form = useApiForm(formSchema, { number: '' })
  const [findings, setFindings] = useState<SubscriberFindings>()
  const failure = t('Not looked up')
  const find = useApiMutation(subscribersRoutes.findSubscriber, {
    failure,
    isShownInPlace: true,
    onSuccess: setFindings,
  })
  const submit = form.handleSubmit((body) => {
    setFindings(undefined)
    find.mutate({ body }, { onError: (error) => void showFieldErrors(form, error) })
  })
  return (
    <Card title={t('Data of a subscriber')}>
      <div className="space-y-4">
        <form
          noValidate
          className="flex flex-wrap items-start gap-2"
          onSubmit={(event) => void submit(event)}
        >
          <TextField
            label={t('Number of who sent messages here')}
            placeholder="+44 7700 900123"
            inputMode="tel"
            {...fieldOf(form, 'number')}
          />
          <Button
            type="submit"
            className="mt-5"
            icon={Search}
            isBusy={find.isPending}
            busyLabel={t('Looking...')}
          >
            {t('Look up')}
          </Button>
        </form>
        <SaveFailure error={find.error} title={failure} isAtFields={isToldAtFields(form, find.error)} />
        {findings && <Findings findings={findings} />}
        <Erasures />
      </div>
    </Card>
  )
}

function Findings({ findings: { number, kinds } }: { findings: SubscriberFindings }) {
  const [isErasing, setErasing] = useState(false)
  if (kinds.length === 0)
    return (
      <EmptyState title={t('Nothing is stored under this number')}>
        {t('It never wrote to a number here, or what it wrote was deleted since.')}
      </EmptyState>
    )
  return (
    <div className="space-y-3" aria-live="polite">
      <p className="font-medium">
        {tNodes('Stored under {number}', { number: <PhoneNumber value={number} /> })}
      </p>
      <dl className="grid w-fit grid-cols-[auto_auto] gap-x-6 gap-y-1">
        {kinds.map(({ kind, count, isAtLeast }) => (
          <div key={kind} className="contents">
            <dt className="text-ink-2">{kindWords[kind]}</dt>
            <dd className="text-end">
              {isAtLeast ? t('{count} or more', { count: formatCount(count) }) : formatCount(count)}
            </dd>
          </div>
        ))}
      </dl>
      <div className="flex flex-wrap gap-2">
        <ExportButton number={number} />
        <Button icon={Eraser} onClick={() => setErasing(true)}>
          {t('Erase...')}
        </Button>
      </div>
      {isErasing && <EraseDialog number={number} onClose={() => setErasing(false)} />}
    </div>
  )
}

/** The number stands in the body: an address would be kept by the browser and by every proxy. */
function ExportButton({ number }: { number: string }) {
  const { isBusy, save } = useFileExport()
  return (
    <Button
      icon={Download}
      isBusy={isBusy}
      onClick={() => void save(subscribersRoutes.exportSubscriber, { body: { number } })}
    >
      {t('Export everything')}
    </Button>
  )
}
