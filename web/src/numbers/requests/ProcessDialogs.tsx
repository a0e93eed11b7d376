// The answers of support to a request: a number from the inventory, or a reason for the rejection.
import { numberInputSchema } from '@tollgate/contract/fields.ts'
import { inventoryRoutes } from '@tollgate/contract/numbers/inventory.ts'
import { requestsRoutes, type NumberRequest } from '@tollgate/contract/numbers/requests.ts'
import type { UseMutationResult } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useRef, useState, type FormEvent } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { useOfferUndo } from '../../api/matching.tsx'
import { useApiMutation, useApiQuery } from '../../api/use-api.ts'
import { formatPhone } from '../../format/phone.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { PhoneField, TextAreaField } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { showToast } from '../../ui/toasts.ts'
import { AddNumberDialog } from '../number/NumberForm.tsx'
import { NumberOffers } from '../NumberOffers.tsx'
import { numberPaths } from '../queries.ts'
import { requestPaths } from '../waiting-requests.ts'
import { refusedOf, type RefusedRows } from '../../ui/RefusedRows.tsx'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { saysNoMoreThanFields } from '../../api/use-api-form.ts'
import { t } from '../../language/t.ts'
import { counted } from '../../format/counted.ts'

/** Approves, assigns or rejects a request, with the specification's words. A dialog gives `onDone`, and shows the refusal. */
export function useProcess(onDone?: () => void) {
  return useApiMutation(requestsRoutes.processRequest, {
    refetch: [...requestPaths, ...numberPaths],
    success: t('Request processed successfully'),
    failure: t('Failed to process request'),
    isShownInPlace: onDone !== undefined,
    ...(onDone && { onSuccess: onDone }),
  })
}

export function processedText(count: number): string {
  return counted(count, 'Request processed successfully', '{count} requests processed successfully')
}

/** Approves or rejects several requests at once. `onDone` gets the refused rows. */
export function useProcessMany(onDone: (refused: RefusedRows | undefined) => void) {
  const offerUndo = useOfferUndo('numbers')
  const { mutate, isPending, error, reset } = useApiMutation(requestsRoutes.bulkProcessRequests, {
    refetch: requestPaths,
    failure: t('Failed to process requests'),
    onSuccess: ({ done, refused, changeId }, requests: readonly NumberRequest[]) => {
      if (refused.length > 0) sent.current = ''
      onDone(refusedOf(requests, refused, (request) => `${request.userName}: ${describeRequest(request)}`))
      if (done.length > 0)
        showToast({ title: t('Success'), text: processedText(done.length), ...offerUndo(changeId) })
    },
  })
  const sent = useRef('')
  const process = (requests: readonly NumberRequest[], action: 'approve' | 'reject', reason?: string) => {
    const body = { ids: requests.map(({ id }) => id), action, rejectionReason: reason }
    const words = JSON.stringify(body)
    // A second click would find all requests already answered by the first one.
    if (sent.current === words) return
    sent.current = words
    mutate({ body, context: requests }, { onError: () => (sent.current = '') })
  }
  return { process, isPending, error, reset }
}

interface ProcessDialogProps {
  readonly request: NumberRequest
  readonly onClose: () => void
}

function describeRequest({ requestedNumber, preferredCountry }: NumberRequest): string {
  const number = requestedNumber === '' ? t('any available number') : formatPhone(requestedNumber)
  return preferredCountry === '' ? number : `${number}, ${preferredCountry}`
}

const isSaidAtField = (error: unknown) => error instanceof ApiError && saysNoMoreThanFields(error)

export function AssignRequestDialog({ request, onClose }: ProcessDialogProps) {
  const fitting = useApiQuery(requestsRoutes.offerNumbers, { params: { id: request.id } })
  const hasNone = fitting.data?.length === 0
  const others = useApiQuery(
    inventoryRoutes.listInventory,
    { query: { status: 'available', limit: 50 } },
    { isEnabled: hasNone },
  )
  const offers = hasNone ? others : fitting
  const [isAdding, setAdding] = useState(false)
  const [pick, setPick] = useState<string>()
  // The best one that fits is proposed.
  const picked = pick ?? fitting.data?.[0]?.number ?? ''
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState<string>()
  const process = useProcess(onClose)
  const chosen = typed.trim() === '' ? picked : typed
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const number = numberInputSchema.safeParse(chosen)
    if (!number.success) return setFault(t(number.error.issues[0]?.message ?? ''))
    setFault(undefined)
    process.mutate(
      { params: { id: request.id }, body: { action: 'assign', assignedNumber: number.data } },
      {
        onError: (error) => setFault(error instanceof ApiError ? error.fields['assignedNumber'] : undefined),
      },
    )
  }
  return (
    <>
      <Dialog
        isOpen
        onClose={onClose}
        title={t('Assign a Number')}
        description={t('{userName} asks for {request}', {
          userName: request.userName,
          request: describeRequest(request),
        })}
        width="md"
        onSubmit={submit}
        consequence={
          chosen === ''
            ? t('Choose a number first.')
            : t('{userName} holds it from then on.', { userName: request.userName })
        }
        action={
          <Button
            tone="primary"
            type="submit"
            isDisabled={chosen === ''}
            isBusy={process.isPending}
            busyLabel={t('Assigning...')}
          >
            {t('Assign')}
          </Button>
        }
      >
        <div className="space-y-4">
          <SaveFailure
            error={process.error}
            title={t('Failed to process request')}
            isAtFields={fault !== undefined && isSaidAtField(process.error)}
          />
          {hasNone && (
            <Notice tone="warn" title={t('No available number fits')}>
              <Button size="sm" icon={Plus} onClick={() => setAdding(true)}>
                {t('Add Number')}
              </Button>
            </Notice>
          )}
          <NumberOffers
            legend={hasNone ? t('Available numbers') : t('Numbers that fit, best first')}
            offers={offers.data}
            error={offers.error}
            onRetry={() => void offers.refetch()}
            picked={typed.trim() === '' ? picked : ''}
            onPick={(number) => {
              setPick(number)
              setTyped('')
              setFault(undefined)
            }}
          />
          <PhoneField
            label={t('Another number')}
            hint={t('Any available number of the inventory')}
            error={fault}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
      </Dialog>
      {isAdding && (
        <AddNumberDialog
          number={request.requestedNumber}
          alsoRefetch={requestPaths}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  )
}

export interface RejectFrameProps {
  readonly title: string
  readonly description: string
  /** The person who reads the reason. */
  readonly readerNote: string
  readonly rejection: Pick<UseMutationResult<unknown, Error, never>, 'isPending' | 'error'>
  readonly onReject: (reason: string) => void
  readonly onClose: () => void
}

/** Asks for the reason, which the requester will read. */
export function RejectFrame({
  title,
  description,
  readerNote,
  rejection,
  onReject,
  onClose,
}: RejectFrameProps) {
  const [reason, setReason] = useState('')
  // The route takes a single line.
  const line = reason.trim().replace(/\s*\n\s*/g, ' ')
  const fault = rejection.error instanceof ApiError ? rejection.error.fields['rejectionReason'] : undefined
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description={description}
      isDirty={line !== ''}
      onSubmit={(event) => {
        event.preventDefault()
        if (line !== '') onReject(line)
      }}
      consequence={line === '' ? t('A reason is required.') : readerNote}
      action={
        <Button
          tone="danger"
          type="submit"
          isDisabled={line === ''}
          isBusy={rejection.isPending}
          busyLabel={t('Rejecting...')}
        >
          {t('Reject')}
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure
          error={rejection.error}
          title={t('Failed to process request')}
          isAtFields={fault !== undefined && isSaidAtField(rejection.error)}
        />
        <TextAreaField
          label={t('Reason')}
          rows={3}
          maxLength={1000}
          error={fault}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
    </Dialog>
  )
}

export function RejectRequestDialog({ request, onClose }: ProcessDialogProps) {
  const process = useProcess(onClose)
  return (
    <RejectFrame
      title={t('Reject Request')}
      description={t('{userName} asks for {request}', {
        userName: request.userName,
        request: describeRequest(request),
      })}
      readerNote={t('{name} sees this reason.', { name: request.userName })}
      rejection={process}
      onReject={(rejectionReason) =>
        process.mutate({ params: { id: request.id }, body: { action: 'reject', rejectionReason } })
      }
      onClose={onClose}
    />
  )
}

interface RejectRequestsDialogProps {
  readonly requests: readonly NumberRequest[]
  readonly many: ReturnType<typeof useProcessMany>
  readonly onClose: () => void
}

/** One reason for all of them. */
export function RejectRequestsDialog({ requests, many, onClose }: RejectRequestsDialogProps) {
  return (
    <RejectFrame
      title={counted(requests.length, 'Reject 1 request', 'Reject {count} requests')}
      description={peopleOf(requests)}
      readerNote={t('Each of them sees this reason.')}
      rejection={many}
      onReject={(reason) => many.process(requests, 'reject', reason)}
      onClose={onClose}
    />
  )
}

// More names would not be read.
const namesShownMax = 3

/** 'client2, client3 and 2 others ask for numbers.' */
function peopleOf(requests: readonly NumberRequest[]): string {
  const names = [...new Set(requests.map(({ userName }) => userName))]
  const [shown, others] = [names.slice(0, namesShownMax), names.length - namesShownMax]
  const list = others > 0 ? [...shown, counted(others, '1 other', '{count} others')] : shown
  return list.length === 1
    ? t('{name} asks for numbers', { name: list[0] })
    : t('{names} and {last} ask for numbers', { names: list.slice(0, -1).join(', '), last: list.at(-1) })
}
