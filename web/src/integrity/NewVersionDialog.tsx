// A new version of the thresholds. It begins with the figures of another one, and what differs from the live one is
// marked.
import { versionRoutes, type IntegrityVersion } from '@tollgate/contract/integrity/versions.ts'
import { useState } from 'react'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { useApiMutation } from '../api/use-api.ts'
import { t } from '../language/t.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { NumberField, TextAreaField } from '../ui/Field.tsx'
import { figureChanges, figureTexts, readFigures, thresholdGroups, type FigureTexts } from './rule-words.ts'

interface NewVersionProps {
  readonly live: IntegrityVersion
  /** The list has the new version soon. */
  readonly onMade: (id: number) => void
  readonly onClose: () => void
}

export function NewVersionDialog({ live, onMade, onClose }: NewVersionProps) {
  const liveTexts = figureTexts(live.thresholds)
  const [texts, setTexts] = useState<FigureTexts>(liveTexts)
  const [note, setNote] = useState('')
  const [isTold, setTold] = useState(false)
  const checked = readFigures(texts)
  const faults = 'faults' in checked ? checked.faults : {}
  const changes = figureChanges(liveTexts, texts)
  const add = useApiMutation(versionRoutes.addVersion, {
    refetch: ['/api/integrity/versions'],
    failure: false,
    onSuccess: ({ id }) => onMade(id),
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('New version of the thresholds')}
      description={t('It begins with the figures of version {id}, which is live.', {
        id: live.id,
      })}
      width="lg"
      isFullOnPhone
      isDirty={changes.length > 0 || note.trim() !== ''}
      consequence={
        changes.length === 0
          ? t('Change a figure first. What differs from the live version is marked.')
          : t('It judges nothing before it is live. A version cannot be edited.')
      }
      onSubmit={(event) => {
        event.preventDefault()
        setTold(true)
        if ('thresholds' in checked && note.trim() !== '' && changes.length > 0)
          add.mutate({ body: { thresholds: checked.thresholds, note } })
      }}
      action={
        <Button
          type="submit"
          tone="primary"
          isDisabled={changes.length === 0}
          isBusy={add.isPending}
          busyLabel={t('Saving...')}
        >
          {t('Make version')}
        </Button>
      }
    >
      <div className="space-y-6">
        <SaveFailure error={add.error} title={t('The version was not made')} />
        {thresholdGroups.map(({ rule, label, figures }) => (
          <fieldset key={rule} className="space-y-3">
            <legend className="text-md font-semibold">{label}</legend>
            <div className="grid items-end gap-x-4 gap-y-3 pt-2 sm:grid-cols-2">
              {figures.map(({ key, label: name, unit }) => {
                const isOther = texts[key] !== liveTexts[key]
                const fault = faults[key]
                return (
                  <NumberField
                    key={key}
                    label={name}
                    labelNote={unit}
                    step="any"
                    required
                    value={texts[key] ?? ''}
                    className={isOther ? 'border-accent bg-accent-soft' : ''}
                    onChange={({ target: { value } }) => setTexts({ ...texts, [key]: value })}
                    {...(isOther && { hint: t('Live: {figure}', { figure: liveTexts[key] }) })}
                    {...(isTold && fault !== undefined && { error: fault })}
                  />
                )
              })}
            </div>
          </fieldset>
        ))}
        <TextAreaField
          label={t('Note')}
          required
          rows={2}
          maxLength={500}
          hint={t('Why these figures')}
          value={note}
          onChange={({ target: { value } }) => setNote(value)}
          {...(isTold && note.trim() === '' && { error: t('Say why these figures') })}
        />
      </div>
    </Dialog>
  )
}
