// The fields for the mapping of a provider's answer to ours, with a preview of a real answer.
import {
  defaultMapping,
  mappingNames,
  previewSchema,
  providersRoutes,
  type MappingName,
  type Provider,
  type ProviderPreview,
} from '@tollgate/contract/providers/providers.ts'
import { ScanSearch } from 'lucide-react'
import { useId } from 'react'
import { messageOf } from '../api/api-error.ts'
import { showFieldErrors } from '../api/use-api-form.ts'
import { useApiMutation } from '../api/use-api.ts'
import { formatInstant } from '../format/dates.ts'
import { Button } from '../ui/Button.tsx'
import { TextField } from '../ui/Field.tsx'
import { Fold } from '../ui/Fold.tsx'
import { StatusIcon } from '../ui/StatusIcon.tsx'
import { Notice } from '../ui/Notice.tsx'
import type { ProviderForm } from './ProviderFields.tsx'
import { formatWords } from '../format/sentences.ts'
import { t, joined } from '../language/t.ts'
import { counted } from '../format/counted.ts'

const labels: Record<MappingName, string> = {
  records: t('List of rows'),
  nextCursor: t('Next cursor'),
  hasMore: t('More pages'),
  id: t('Row id'),
  timestamp: t('Timestamp'),
  number: t('Number'),
  sender: t('Sender'),
  text: t('Text'),
  status: t('Status'),
}
const ofAnswer: readonly MappingName[] = ['records', 'nextCursor', 'hasMore']

interface MappingFieldsProps {
  readonly form: ProviderForm
  readonly provider: Provider | undefined
}

/** What a preview takes of the form, which has every field of a stored provider. */
function previewFields<Values extends object>(values: Values): Values {
  const taken = Object.entries(values).filter(([name]) => Object.hasOwn(previewSchema.shape, name))
  return Object.fromEntries(taken) as Values
}

export function MappingFields({ form, provider }: MappingFieldsProps) {
  const preview = useApiMutation(providersRoutes.previewProvider, { failure: false })
  const id = useId()
  const { errors } = form.formState
  const look = () =>
    preview.mutate(
      { body: { ...previewFields(form.getValues()), ...(provider && { id: provider.id }) } },
      { onError: (error) => void showFieldErrors(form, error) },
    )
  const choices = choicesOf(preview.data?.paths ?? [], String(form.watch('mapping.records') ?? ''))
  const isAtFault = errors.mapping !== undefined || preview.error !== null || preview.data?.success === false
  return (
    <fieldset className="space-y-4 border-t border-line pt-4">
      <legend className="sr-only">{t('Field mapping')}</legend>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-xs text-ink-3">{t('Reads its answer once and stores nothing.')}</p>
        <Button
          size="sm"
          icon={ScanSearch}
          isBusy={preview.isPending}
          busyLabel={t('Asking...')}
          onClick={look}
        >
          {t('Preview')}
        </Button>
      </div>
      <Fold label={t('Field mapping')} startsOpen={hasOwnMapping(provider)} isHeldOpen={isAtFault}>
        <p className="pb-3 text-xs text-ink-3">
          {t('Dot paths into the answer, such as data.items. Empty: there is none.')}
        </p>
        <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
          {mappingNames.map((name) => (
            <TextField
              key={name}
              label={labels[name]}
              isMono
              autoCapitalize="none"
              autoComplete="off"
              list={`${id}-${ofAnswer.includes(name) ? 'answer' : 'row'}`}
              error={errors.mapping?.[name]?.message}
              {...form.register(`mapping.${name}`)}
            />
          ))}
        </div>
      </Fold>
      {form.watch('mapping.id') === '' && <NoIdNotice title={t('Rows have no id')} paths={choices.row} />}
      <PathChoices id={`${id}-answer`} paths={choices.answer} />
      <PathChoices id={`${id}-row`} paths={choices.row} />
      {preview.error && (
        <Notice tone="bad" title={t('The preview could not be made')} isAlert>
          {messageOf(preview.error)}
        </Notice>
      )}
      {preview.data && <PreviewResult preview={preview.data} rowPaths={choices.row} />}
    </fieldset>
  )
}

/** Whether a provider's answer is read otherwise than by the names that we propose. */
function hasOwnMapping(provider: Provider | undefined): boolean {
  return (
    provider !== undefined && mappingNames.some((name) => provider.mapping[name] !== defaultMapping[name])
  )
}

function PathChoices({ id, paths }: { id: string; paths: readonly string[] }) {
  return (
    <datalist id={id}>
      {paths.map((path) => (
        <option key={path} value={path} />
      ))}
    </datalist>
  )
}

/** The paths of the answer itself, and the paths within a row. */
function choicesOf(paths: ProviderPreview['paths'], records: string) {
  const inRow = `${records}[].`
  return {
    answer: paths.map(({ path }) => path).filter((path) => path !== '' && !path.includes('[]')),
    row: paths
      .filter(({ path }) => path.startsWith(inRow) && !path.slice(inRow.length).includes('[]'))
      .map(({ path }) => path.slice(inRow.length)),
  }
}

const idName = /(^|[._-])(id|uid|uuid|guid|key|ref|reference)$|Id$/

/** Without ids a row is told apart by what it says, and a change of that is paid as another message. */
function NoIdNotice({ title, paths }: { title: string; paths: readonly string[] }) {
  const likely = paths.filter((path) => idName.test(path)).slice(0, 5)
  return (
    <Notice tone="warn" title={title}>
      <p>
        {t(
          'They are told apart by time, number, sender and text. A row in which one of these changes becomes another record and is paid again. Put a field that differs in every row into “Row id”.',
        )}
      </p>
      {likely.length > 0 && <p>{t('Fields that look like one: {paths}', { paths: likely.join(', ') })}</p>}
    </Notice>
  )
}

/** Says so when rows of a preview have no id although a path to it is entered. */
function RowsWithoutId({ preview, paths }: { preview: ProviderPreview; paths: readonly string[] }) {
  const { withoutIdCount, rowCount = 0 } = preview
  if (withoutIdCount === 0) return null
  const title =
    withoutIdCount === rowCount
      ? t('None of these rows has an id')
      : counted(withoutIdCount, '1 of these rows has no id', '{count} of these rows have no id')
  return <NoIdNotice title={title} paths={paths} />
}

function PreviewResult({ preview, rowPaths }: { preview: ProviderPreview; rowPaths: readonly string[] }) {
  if (!preview.success)
    return (
      <Notice
        tone="bad"
        title={preview.error === undefined ? t('The provider did not answer') : formatWords(preview.error)}
        isAlert
      >
        {preview.paths.length > 0 &&
          t('Lists in the answer: {paths}. Put one of them into “List of rows”.', {
            paths: listsOf(preview) || '–',
          })}
      </Notice>
    )
  return (
    <div className="space-y-2" role="status">
      <p className="text-ink-2">
        {joined(
          counted(preview.rowCount ?? 0, '1 row in {duration} ms.', '{count} rows in {duration} ms.', {
            duration: preview.durationMs,
          }),
          preview.hasNextPage && t('More pages follow.'),
          t('Nothing was stored.'),
        )}
      </p>
      <RowsWithoutId preview={preview} paths={rowPaths} />
      <ul className="divide-y divide-line rounded-md border border-line">
        {preview.rows.map((row, place) => (
          <PreviewRow key={`${place} ${row.id}`} row={row} />
        ))}
      </ul>
    </div>
  )
}

function listsOf({ paths }: ProviderPreview): string {
  return paths
    .filter(({ kind, path }) => kind === 'list' && !path.includes('[]'))
    .map(({ path }) => (path === '' ? t('(the answer itself)') : path))
    .join(', ')
}

function PreviewRow({ row }: { row: ProviderPreview['rows'][number] }) {
  const isFine = row.fault === ''
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <StatusIcon shape={isFine ? 'check' : 'x'} tone={isFine ? 'ok' : 'bad'} />
      <span className="font-mono break-all">{row.number === '' ? '–' : row.number}</span>
      {isFine ? (
        <span className="text-ink-2">
          {t('{time} · from {sender} · {count} characters', {
            time: formatInstant(row.timestamp),
            sender: row.sender === '' ? '–' : row.sender,
            count: row.textLength,
          })}
          {row.status !== '' && ` · ${row.status}`}
        </span>
      ) : (
        <span className="text-bad-ink">{formatWords(row.fault)}</span>
      )}
      <span className="ms-auto font-mono text-xs break-all text-ink-3">
        {row.id === '' ? t('no id') : row.id}
      </span>
    </li>
  )
}
