import {
  analyticsRoutes,
  mailRhythms,
  type AnalyticsLook,
  type MailRhythm,
} from '@tollgate/contract/analytics/analytics.ts'
import { Mail, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Unfetched } from '../api/FetchFailure.tsx'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatDay } from '../format/dates.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { SelectField, TextField } from '../ui/Field.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { Notice } from '../ui/Notice.tsx'
import { t } from '../language/t.ts'

const rhythmWords: Record<MailRhythm, string> = {
  day: t('Each day, of the day before'),
  week: t('Each Monday, of the week before'),
  month: t('On the first, of the month before'),
}
const refetch = [analyticsRoutes.listAnalyticsMails.path]

/** Has the view on screen mailed to oneself, and shows which views are. */
export function AnalyticsMails({ look }: { readonly look: AnalyticsLook }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button tone="ghost" icon={Mail} onClick={() => setOpen(true)}>
        {t('By mail')}
      </Button>
      {isOpen && <MailsDialog look={look} onClose={() => setOpen(false)} />}
    </>
  )
}

function MailsDialog({ look, onClose }: { readonly look: AnalyticsLook; readonly onClose: () => void }) {
  const list = useApiQuery(analyticsRoutes.listAnalyticsMails)
  const [name, setName] = useState('')
  const [every, setEvery] = useState<MailRhythm>('week')
  const keep = useApiMutation(analyticsRoutes.keepAnalyticsMail, {
    refetch,
    success: t('The view is mailed'),
    failure: t('Failed to save'),
    onSuccess: () => setName(''),
  })
  const remove = useApiMutation(analyticsRoutes.deleteAnalyticsMail, {
    refetch,
    success: t('The view is no longer mailed'),
    failure: t('Failed to remove it'),
  })
  const { data } = list
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Analytics by mail')}
      description={
        data?.email
          ? t('This view, its groups and filters, to {email}. Days are UTC.', { email: data.email })
          : t('This view, its groups and filters, to your address. Days are UTC.')
      }
      closeLabel={t('Close')}
      isDirty={name.trim() !== ''}
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() !== '') keep.mutate({ body: { name, every, look } })
      }}
      action={
        <Button
          tone="primary"
          type="submit"
          isDisabled={name.trim() === '' || data?.canMail !== true}
          isBusy={keep.isPending}
          busyLabel={t('Saving...')}
        >
          {t('Save')}
        </Button>
      }
    >
      {data ? (
        <div className="space-y-4">
          {!data.canMail && (
            <Notice tone="warn" title={t('No mail is sent')}>
              {t('This gateway has no mail server, or your account no email address.')}
            </Notice>
          )}
          <TextField
            label={t('Name')}
            value={name}
            maxLength={60}
            onChange={({ target }) => setName(target.value)}
            hint={t('A view of the same name is replaced')}
          />
          <SelectField
            label={t('Sent')}
            value={every}
            onChange={({ target }) => setEvery(target.value as MailRhythm)}
            options={mailRhythms.map((value) => ({ value, label: rhythmWords[value] }))}
          />
          {data.mails.length > 0 && (
            <ul aria-label={t('Mailed views')} className="divide-y divide-line border-t border-line">
              {data.mails.map((mailed) => (
                <li key={mailed.id} className="flex items-center justify-between gap-3 py-2">
                  <span className="min-w-0">
                    <span className="block truncate font-medium">{mailed.name}</span>
                    <span className="text-ink-3">
                      {rhythmWords[mailed.every]}
                      {' · '}
                      {t('next on {day}', { day: formatDay(mailed.nextOn) })}
                    </span>
                  </span>
                  <IconButton
                    label={t('Remove {name}', { name: mailed.name })}
                    icon={Trash2}
                    onClick={() => remove.mutate({ params: { id: mailed.id } })}
                  />
                </li>
              ))}
            </ul>
          )}
        </div>
      ) : (
        <Unfetched of={list} title={t('Failed to fetch the mailed views')} className="h-40 w-full" />
      )}
    </Dialog>
  )
}
