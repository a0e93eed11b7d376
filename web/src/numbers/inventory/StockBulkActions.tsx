// What can be done with several numbers of the stock at once: with those that were selected, or with all that match.
import { numberChangesRoutes } from '@tollgate/contract/numbers/bulk-changes.ts'
import { inventoryRoutes, type InventoryItem } from '@tollgate/contract/numbers/inventory.ts'
import type { User } from '@tollgate/contract/users/users.ts'
import { useState } from 'react'
import { ConfirmMutation } from '../../api/ConfirmMutation.tsx'
import { ExportSelected } from '../../api/ExportSelected.tsx'
import { ConfirmMatching, toastChange, useOfferUndo, type OfferUndo } from '../../api/matching.tsx'
import { useApiMutation } from '../../api/use-api.ts'
import { formatCount } from '../../format/money.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../ui/Button.tsx'
import { copyRows } from '../../ui/copy-rows.ts'
import { CopySelected } from '../../ui/CopySelected.tsx'
import { showToast } from '../../ui/toasts.ts'
import { UserPicker } from '../../users/UserPicker.tsx'
import { numberPaths } from '../queries.ts'
import { AssignFrame } from '../number/AssignFrame.tsx'
import { inventoryLine } from './columns.tsx'
import { counted } from '../../format/counted.ts'

function unassignedText(count: number): string {
  return counted(count, 'Number unassigned successfully', '{count} numbers unassigned successfully')
}

const unassignEffect = () =>
  t(
    'What they earned until now stays their holders’. Undoing gives them back from then on; what they receive in between earns nobody anything.',
  )

interface SelectedNumbersProps {
  /** The selected numbers that are loaded. */
  readonly items: readonly InventoryItem[]
  readonly ids: ReadonlySet<string>
  readonly onAssign: (items: readonly InventoryItem[]) => void
  readonly onDone: () => void
}

/** Each act is all or none, so it is offered only if it is possible with all selected numbers. */
export function SelectedNumbers({ items, ids, onAssign, onDone }: SelectedNumbersProps) {
  const [isUnassigning, setUnassigning] = useState(false)
  const offerUndo = useOfferUndo('numbers')
  const count = ids.size
  const takenCount = items.filter((item) => item.status !== 'available').length
  const isWhole = items.length > 0 && items.length === count
  return (
    <>
      {takenCount > 0 && (
        <span className="text-ink-3">
          {t('{takenCount} of them not available', { takenCount: formatCount(takenCount) })}
        </span>
      )}
      <Button size="sm" isDisabled={!isWhole || takenCount > 0} onClick={() => onAssign(items)}>
        {t('Assign ({count})', { count })}
      </Button>
      <Button
        size="sm"
        isDisabled={!isWhole || items.some((item) => item.assignedTo === null)}
        onClick={() => setUnassigning(true)}
      >
        {t('Unassign ({count})', { count })}
      </Button>
      <CopySelected ids={ids} rows={items} onCopy={() => void copyRows(items.map(inventoryLine))} />
      <ExportSelected route={inventoryRoutes.exportChosenInventory} ids={ids} />
      {isUnassigning && (
        <ConfirmMutation
          onClose={() => setUnassigning(false)}
          title={t('Unassign {numbers}?', { numbers: t('{count} numbers', { count: formatCount(count) }) })}
          route={inventoryRoutes.bulkUnassignNumbers}
          call={{ body: { ids: [...ids] } }}
          refetch={numberPaths}
          failure={t('Failed to unassign number')}
          confirmLabel={t('Unassign')}
          busyLabel={t('Unassigning...')}
          onDone={({ changed, changeId }) => {
            setUnassigning(false)
            onDone()
            showToast({ title: t('Success'), text: unassignedText(changed), ...offerUndo(changeId) })
          }}
        >
          {unassignEffect()}
        </ConfirmMutation>
      )}
    </>
  )
}

interface MatchingProps {
  readonly filters: object
  /** How many numbers the filters match. */
  readonly count: number
  readonly onDone: () => void
}

/** Acts on all numbers that the filters match. */
export function MatchingStock({ filters, count, onDone }: MatchingProps) {
  const [act, setAct] = useState<'assign' | 'unassign'>()
  const offerUndo = useOfferUndo('numbers')
  const close = () => setAct(undefined)
  const shown = formatCount(count)
  return (
    <>
      <Button size="sm" onClick={() => setAct('assign')}>
        {t('Assign ({count})', { count: shown })}
      </Button>
      <Button size="sm" onClick={() => setAct('unassign')}>
        {t('Unassign ({count})', { count: shown })}
      </Button>
      {act === 'assign' && (
        <AssignMatchingDialog {...{ filters, count, offerUndo, onDone }} onClose={close} />
      )}
      {act === 'unassign' && (
        <ConfirmMatching
          route={numberChangesRoutes.unassignMatchingNumbers}
          body={{ filter: filters, count }}
          title={t('Unassign {numbers}?', { numbers: t('{count} numbers', { count: shown }) })}
          confirmLabel={t('Unassign')}
          busyLabel={t('Unassigning...')}
          refetch={numberPaths}
          failure={t('Failed to unassign number')}
          offerUndo={offerUndo}
          doneText={unassignedText}
          onClose={close}
          onDone={onDone}
        >
          {unassignEffect()}
        </ConfirmMatching>
      )}
    </>
  )
}

interface AssignMatchingProps extends MatchingProps {
  readonly offerUndo: OfferUndo
  readonly onClose: () => void
}

function AssignMatchingDialog({ filters, count, offerUndo, onClose, onDone }: AssignMatchingProps) {
  const [user, setUser] = useState<User>()
  const what = t('{count} numbers', { count: formatCount(count) })
  const assignment = useApiMutation(numberChangesRoutes.assignMatchingNumbers, {
    refetch: numberPaths,
    failure: t('Failed to assign number'),
    isShownInPlace: true,
    onSuccess: (answer) => {
      onClose()
      onDone()
      toastChange(answer, assignedText, offerUndo)
    },
  })
  return (
    <AssignFrame
      title={t('Assign Numbers')}
      what={what}
      description={what}
      user={user}
      assignment={assignment}
      onAssign={() => user && assignment.mutate({ body: { filter: filters, count, userId: user.id } })}
      onClose={onClose}
    >
      <p>
        {t(
          'All available numbers that the filters match are assigned, also those that are not on screen; those that are held or suspended stay as they are. It can be undone for a week: what they earned until then stays earned.',
        )}
      </p>
      <UserPicker isHolder label={t('User')} value={user} onChange={setUser} />
    </AssignFrame>
  )
}

function assignedText(count: number): string {
  return counted(count, 'Number assigned successfully', '{count} numbers assigned successfully')
}
