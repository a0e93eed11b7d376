// Sends a test SMS over a connection and shows its answer and its receipt.
import {
  connectionsRoutes,
  type Connection,
  type ConnectionSend,
} from '@tollgate/contract/connections/connections.ts'
import { messageOf } from '../api/api-error.ts'
import { fieldOf, isToldAtFields, showFieldErrors, useApiForm } from '../api/use-api-form.ts'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatSecond } from '../format/dates.ts'
import { formatPhone } from '../format/phone.ts'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextAreaField, TextField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { t, joined } from '../language/t.ts'

const failure = t('Failed to send the test SMS')

export function SendTestDialog({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const params = { id: connection.id }
  const sends = useApiQuery(connectionsRoutes.listTestMessages, { params }, { refetchIntervalMs: 1_000 })
  const form = useApiForm(connectionsRoutes.sendTestMessage.body, { from: '', to: '', text: '' })
  const send = useApiMutation(connectionsRoutes.sendTestMessage, {
    refetch: [`/api/smpp-connections`],
    success: { title: t('Test SMS queued'), text: t('Its answer shows below.') },
    failure,
    isShownInPlace: true,
    // What is sent is not asked about.
    onSuccess: () => form.reset(form.getValues()),
  })
  const submit = form.handleSubmit((body) =>
    send.mutate({ params, body }, { onError: (error) => void showFieldErrors(form, error) }),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Send Test SMS')}
      description={t('Via {name}. Your operator may charge for it.', { name: connection.name })}
      closeLabel={t('Close')}
      isDirty={form.formState.isDirty}
      onSubmit={(event) => void submit(event)}
      action={
        <Button tone="primary" type="submit" isBusy={send.isPending} busyLabel={t('Sending...')}>
          {t('Send')}
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={send.error} title={failure} isAtFields={isToldAtFields(form, send.error)} />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label={t('From')} maxLength={20} {...fieldOf(form, 'from')} />
          <TextField label={t('To')} type="tel" {...fieldOf(form, 'to')} />
        </div>
        <TextAreaField label={t('Text')} rows={3} {...fieldOf(form, 'text')} />
        {sends.error && (
          <Notice tone="bad" title={t('Failed to fetch what was sent')}>
            {messageOf(sends.error)}
          </Notice>
        )}
        {sends.data && sends.data.length > 0 && (
          <ul
            aria-label={t('Sent over this connection')}
            className="divide-y divide-line rounded-lg border border-line"
          >
            {sends.data.slice(0, 5).map((sent) => (
              <li key={sent.id} className="flex flex-wrap justify-between gap-x-4 px-3 py-2">
                <span className="phone-number">{formatPhone(sent.to)}</span>
                <span className={sent.status === 'failed' ? 'text-bad-ink' : 'text-ink-2'}>
                  {describeSend(sent)}
                </span>
                <span className="text-ink-3">{formatSecond(sent.createdAt)}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  )
}

function describeSend({ status, errorCode, error, receipt }: ConnectionSend): string {
  const reason = errorCode === null ? error : t('Error Code {code}: {text}', { code: errorCode, text: error })
  if (status === 'failed') return reason
  if (status === 'sending' && reason !== '')
    return joined(t('The gateway asked us to wait; trying again.'), reason)
  if (status !== 'sent') return t('On its way')
  return receipt === '' ? t('Taken by the gateway') : t('Receipt: {receipt}', { receipt })
}
