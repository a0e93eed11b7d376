// The image of deploy/image/Containerfile, built by buildah on a bare Debian instead of one from a registry.
import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'
import { projectRoot } from '../../src/platform/process/project.ts'
import { folderOnDisk } from './bare-debian.ts'

/** What a container runtime reads of an image. */
interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly WorkingDir: string
}

// Before its folder is removed: hooks run in the reverse of the order in which files are read.
let unmount: (() => Promise<unknown>) | undefined
afterAll(() => unmount?.())

/** Builds it with a release (a .tgz); gives its files unpacked, and what they are started with. */
export async function buildImage(debian: string, release: string) {
  const folder = await folderOnDisk()
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
  // Without namespaces of its own for each step: they need rights that a test machine may not give.
  const env = { ...process.env, BUILDAH_ISOLATION: 'chroot' }
  const buildah = async (...args: string[]) =>
    (
      await promisify(execFile)('buildah', [...storage, ...args], { env, maxBuffer: 16 * 1024 ** 2 })
    ).stdout.trim()
  unmount = () => buildah('umount', '--all')
  await buildah('from', '--name', 'debian', 'scratch')
  await promisify(execFile)('cp', ['-a', `${debian}/.`, await buildah('mount', 'debian')])
  await buildah('commit', '--quiet', '--rm', 'debian', 'localhost/debian')
  await cp(release, join(folder, basename(release)))
  const words = { DEBIAN: 'localhost/debian', RELEASE: basename(release, '.tgz') }
  const given = Object.entries(words).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`])
  const recipe = ['--file', join(projectRoot, 'deploy/image/Containerfile'), '--tag', 'localhost/tollgate']
  await buildah('build', '--pull=never', '--layers=false', ...given, ...recipe, folder)
  await buildah('from', '--pull-never', '--name', 'gateway', 'localhost/tollgate')
  const inspected = JSON.parse(await buildah('inspect', '--type', 'image', 'localhost/tollgate')) as {
    readonly OCIv1: { readonly config: ImageConfig }
  }
  return { root: await buildah('mount', 'gateway'), config: inspected.OCIv1.config }
}
