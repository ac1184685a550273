"""The engine's calls, translated: protocol messages in and out, everything else elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NoReturn

import grpc
from google.protobuf import empty_pb2

from kafka_topology import __version__
from kafka_topology.cluster.outcomes import FailureKind

from ..config import keys as config
from ..resources.base import Old, OperationError, State
from ..resources.changes import Checked, CheckFailure
from ..resources.descriptor import installed_kinds
from ..resources.topology.declaring import Declare, nothing_to_read
from ..resources.topology.inputs import TopologyFiles
from ..resources.topology.items import TOPOLOGY
from ..resources.topology.kind import TopologyKind, TopologyLifecycle
from .guarding import answering
from .judging import Judge, NoRules, Run, judged, refusals
from .lifecycle import Lifecycle
from .previews import PREVIEW_STATE, sent_state
from .properties import has_secret
from .property_codec import decode, encode
from .protocol import plugin_pb2, provider_pb2, provider_pb2_grpc, status_pb2
from .schema import schema_text
from .secrecy import Discreet
from .session import Session
from .views import views_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kafka_topology.provider.resources.admin import Admin

    from ..config.settings import Settings
    from ..resources.changes import PropertyChange
    from .engine_log import EngineLog
    from .properties import Properties

_CODES: Final = {
    FailureKind.MISSING: grpc.StatusCode.NOT_FOUND,
    FailureKind.EXISTS: grpc.StatusCode.ALREADY_EXISTS,
    FailureKind.DENIED: grpc.StatusCode.PERMISSION_DENIED,
    FailureKind.REJECTED: grpc.StatusCode.INVALID_ARGUMENT,
    FailureKind.CANCELLED: grpc.StatusCode.CANCELLED,
    FailureKind.UNCERTAIN: grpc.StatusCode.ABORTED,
    # Not UNAVAILABLE: to the engine that means the plugin itself has died.
    FailureKind.UNREACHABLE: grpc.StatusCode.FAILED_PRECONDITION,
    FailureKind.REFUSED: grpc.StatusCode.FAILED_PRECONDITION,
}
_PREVIEWED_FROM_STATE: Final = "This preview was made from the state alone, without the cluster. "


@answering
class Servicer(provider_pb2_grpc.ResourceProviderServicer):  # type: ignore[misc]  # generated, untyped
    """`connect` creates the admin for settings; a test may pass its own.

    `judge` runs the rules on the resources of a program; without one, no rules run. `declare` loads topology files.
    """

    def __init__(
        self,
        connect: Callable[[Settings], Admin],
        environment: Mapping[str, str],
        log: EngineLog,
        judge: Judge | None = None,
        declare: Declare = nothing_to_read,
    ) -> None:
        self._connect = connect
        self._declare = declare
        self._has_views = False
        self._files: TopologyFiles | None = None
        self._environment = environment
        self._log = log
        self._judge: Judge = judge or NoRules()
        self._rules: Run = NoRules()
        self._session: Session | None = None
        self._checked: Session | None = None
        self._kinds: dict[str, Lifecycle] = {}

    def redact(self, text: str) -> str:
        return self._log.redact(text)

    async def Handshake(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        self._log.attach(request.engine_address)
        self._has_views = request.supports_views
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=True, accept_resources=True, accept_outputs=True)

    async def Attach(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        self._log.attach(request.address)
        return empty_pb2.Empty()

    async def GetPluginInfo(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        return plugin_pb2.PluginInfo(version=__version__)

    async def GetSchema(self, request: Any, context: Any) -> Any:
        if request.version not in {0, 1}:
            await context.abort(
                grpc.StatusCode.INVALID_ARGUMENT,
                f"There is no schema of format {request.version}: ask for 0 or 1.",
            )
        return provider_pb2.GetSchemaResponse(schema=schema_text())

    async def GetMapping(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        return provider_pb2.GetMappingResponse()

    async def GetMappings(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        return provider_pb2.GetMappingsResponse()

    async def CheckConfig(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        checked = config.check_config(decode(request.news))
        failures = checked.failures or tuple(self._judge.wrong_choices(config.rule_choices(checked.inputs)))
        if failures:
            return _check_response(checked.inputs, failures)
        checked = await self._connected_config(decode(request.olds), checked)
        return _check_response(checked.inputs, checked.failures)

    async def _connected_config(self, old: Properties, checked: Checked) -> Checked:
        """Stores the cluster's id in the provider's inputs. Fails when it differs from the last run."""
        connected = old.get(config.CONNECTED)
        inputs = {**checked.inputs, config.CONNECTED: connected} if connected is not None else dict(checked.inputs)
        if config.missing_keys(inputs, self._environment):
            return Checked(inputs)  # Configure reports the missing keys
        settings = config.resolve(inputs, self._environment)
        if settings is None or settings.offline_preview:
            return Checked(inputs)
        self._log.redact = settings.redact
        session = Session(settings, self._connect)
        try:
            await session.admin()
        except OperationError as error:
            wrong = "clusterId" if settings.cluster_is_chosen else "bootstrapServers"
            return Checked(inputs, (CheckFailure(wrong, settings.redact(error.failure.message)),))
        self._checked = session
        return Checked({**inputs, config.CONNECTED: session.cluster_id})

    async def DiffConfig(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        old = decode(request.old_inputs) or decode(request.olds)
        return _diff_response(config.diff_config(old, decode(request.news)))

    async def Configure(self, request: Any, context: Any) -> Any:
        inputs = decode(request.args)
        missing = config.missing_keys(inputs, self._environment)
        if missing:
            await _abort_with(
                context,
                grpc.StatusCode.INVALID_ARGUMENT,
                "Missing in the provider's config: " + ", ".join(key.name for key in missing),
                provider_pb2.ConfigureErrorMissingKeys(
                    missingKeys=[{"name": key.name, "description": key.description} for key in missing]
                ),
            )
        settings = config.resolve(inputs, self._environment)
        if settings is not None:
            self._log.redact = settings.redact
            session = Session(settings, self._connect, self._log.reporter(), self._log.address)
            session.take_over(self._checked)
            self._close_sessions()
            self._session = session
            self._kinds = {
                kind.token: Lifecycle(Discreet(kind.make(session)), session) for kind in installed_kinds().values()
            }
            self._files = TopologyFiles(self._declare, self._kinds, settings.owned, self._has_views)
            self._rules = self._judge.begin(settings.rules) if settings.rules.enabled else NoRules()
        return provider_pb2.ConfigureResponse(
            acceptSecrets=True, supportsPreview=True, acceptResources=True, acceptOutputs=True
        )

    async def Check(self, request: Any, context: Any) -> Any:
        kind = await self._kind(request, context)
        name, old, new = _name(request), decode(request.olds), decode(request.news)
        checked = kind.check(request.urn, name, old, new)
        failures = checked.failures
        await self._log.say_all("WARNING", checked.warnings, request.urn)
        token = request.type or _type_of(request.urn)
        if not failures and token != TOPOLOGY:  # whose files are judged as a whole
            verdicts = self._rules.judge(judged(token, request.urn, name, old=old, inputs=checked.inputs, given=new))
            failures = await refusals(verdicts, lambda text: self._log.say("WARNING", text, request.urn))
        return _check_response(checked.inputs, failures)

    async def Diff(self, request: Any, context: Any) -> Any:
        kind = await self._kind(request, context)
        note = kind.unseen_drift()
        if note is not None:
            await self._log.say_once("INFO", note)
        try:
            return _diff_response(kind.diff(_old(request, request.olds), decode(request.news)))
        except OperationError as error:
            await self._fail(context, error)

    async def Create(self, request: Any, context: Any) -> Any:
        kind = await self._kind(request, context)
        new = decode(request.properties)
        try:
            state = await kind.create(request.urn, new, request.timeout, preview=request.preview)
        except OperationError as error:
            if not self._may_preview_blindly(request, error):
                await self._fail(context, error)
            await self._previewed_blindly(error)
            return provider_pb2.CreateResponse(properties=encode(new))
        await self._tell(state, request, context)
        # A preview returns no id, because nothing has one yet.
        return provider_pb2.CreateResponse(id="" if request.preview else state.id, properties=encode(state.properties))

    async def Update(self, request: Any, context: Any) -> Any:
        kind = await self._kind(request, context)
        old, new = _old(request, request.olds), decode(request.news)
        try:
            state = await kind.update(old, new, request.timeout, preview=request.preview)
        except OperationError as error:
            if not self._may_preview_blindly(request, error):
                await self._fail(context, error)
            await self._previewed_blindly(error)
            return provider_pb2.UpdateResponse(properties=encode({**old.properties, **new}))
        await self._tell(state, request, context)
        return provider_pb2.UpdateResponse(properties=encode(state.properties))

    async def Read(self, request: Any, context: Any) -> Any:
        kind = await self._kind(request, context)
        old = Old(request.id, decode(request.inputs), decode(request.properties), request.urn)
        try:
            state = await kind.read(old)
        except OperationError as error:
            await self._fail(context, error)
        await self._log.say_all("WARNING", state.warnings if state is not None else (), request.urn)
        if state is None or state.gone:
            return provider_pb2.ReadResponse()
        return provider_pb2.ReadResponse(id=state.id, inputs=encode(state.inputs), properties=encode(state.properties))

    async def Delete(self, request: Any, context: Any) -> Any:
        kind = await self._kind(request, context)
        try:
            note = await kind.delete(_old(request, request.properties), request.timeout)
        except OperationError as error:
            await self._fail(context, error)
        if note is not None:
            await self._log.say("WARNING", note, request.urn)
        return empty_pb2.Empty()

    async def Cancel(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        self.cancel()
        return empty_pb2.Empty()

    def cancel(self) -> None:
        if self._session is not None:
            self._session.cancel()

    def close(self) -> None:
        """Call this after the server has stopped and no call is running."""
        self._close_sessions()

    def _close_sessions(self) -> None:
        for session in (self._checked, self._session):
            if session is not None:
                session.close()
        self._checked = self._session = None

    async def Invoke(self, request: Any, context: Any) -> Any:
        if request.tok != PREVIEW_STATE:
            await _not_offered(context, f"the function '{request.tok}'")
        refusals = await self._refused_deletions(decode(request.args))
        return provider_pb2.InvokeResponse(**{"return": encode({"refusals": list(refusals)})})

    async def _refused_deletions(self, arguments: Properties) -> list[str]:
        """Reasons to refuse deletions already in a preview, where the engine sends none."""
        refusals = []
        for token, urn, is_removed, properties in sent_state(arguments):
            if token == TOPOLOGY and self._session is not None and not is_removed:
                # So a replacement is refused: its creation would publish the views that the state has already.
                self._session.run.found_in_state([urn])
            kind = self._kinds.get(token)
            if kind is None:
                continue
            if not is_removed:
                kind.session.run.found_in_state([urn])
                continue
            try:
                await kind.preview_delete(Old("", {}, properties, urn))
            except OperationError as error:
                if not (error.failure.kind is FailureKind.UNREACHABLE and kind.session.settings.offline_preview):
                    refusals.append(self._log.redact(error.failure.message))
                else:
                    await self._previewed_blindly(error)
        return refusals

    async def Call(self, request: Any, context: Any) -> Any:
        await _not_offered(context, f"the method '{request.tok}'")

    async def Construct(self, request: Any, context: Any) -> Any:
        await _not_offered(context, f"the component '{request.type}'")

    async def Parameterize(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        await _not_offered(context, "parameters")

    async def List(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        await _not_offered(context, "listing resources")

    async def _kind(self, request: Any, context: Any) -> Lifecycle:
        token = request.type or _type_of(request.urn)
        tokens = [kind.token for kind in installed_kinds().values()]
        if token == TOPOLOGY and self._session is not None and self._files is not None:
            topology = TopologyKind(request.urn, self._files, views_of(request))
            return TopologyLifecycle(Discreet(topology), self._session, topology)
        if token not in {*tokens, TOPOLOGY}:
            await context.abort(
                grpc.StatusCode.INVALID_ARGUMENT,
                f"kafka-topology has no resource '{token}'. It has: {', '.join(tokens)}.",
            )
        if token not in self._kinds:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "The provider has not been configured yet.")
        return self._kinds[token]

    async def _tell(self, state: State, request: Any, context: Any) -> None:
        await self._log.say_all("INFO", state.notes, request.urn)
        await self._log.say_all("WARNING", state.warnings, request.urn)
        if state.unfinished:
            await _abort_with(
                context,
                grpc.StatusCode.UNKNOWN,
                f"{state.id}: not finished. Run 'pulumi up' again to complete it.",
                provider_pb2.ErrorResourceInitFailed(
                    id=state.id,
                    properties=encode(state.properties),
                    inputs=encode(state.inputs),
                    reasons=state.unfinished,
                ),
            )

    def _may_preview_blindly(self, request: Any, error: OperationError) -> bool:
        asked_for = self._session is not None and self._session.settings.offline_preview
        return bool(request.preview) and asked_for and error.failure.kind is FailureKind.UNREACHABLE

    async def _previewed_blindly(self, error: OperationError) -> None:
        await self._log.say_once("WARNING", _PREVIEWED_FROM_STATE + error.failure.message)

    async def _fail(self, context: Any, error: OperationError) -> NoReturn:
        await context.abort(_CODES[error.failure.kind], self._log.redact(error.failure.message))
        raise AssertionError from error  # abort raises; this line is for the type checker


def _old(request: Any, properties: Any) -> Old:
    return Old(request.id, decode(request.old_inputs), decode(properties), request.urn)


def _name(request: Any) -> str:
    return str(request.name or request.urn.rpartition("::")[2])


def _type_of(urn: str) -> str:
    """The last part of `urn:pulumi:stack::project::parent$type::name` that names a type."""
    parts = urn.split("::")
    return parts[2].rpartition("$")[2] if len(parts) > 3 else ""


def _check_response(inputs: Properties, failures: Iterable[CheckFailure]) -> Any:
    return provider_pb2.CheckResponse(
        inputs=encode(inputs),
        failures=[
            provider_pb2.CheckFailure(property=failure.property, reason=failure.reason)
            for failure in (_without_value(failure, inputs) for failure in failures)
        ],
    )


def _without_value(failure: CheckFailure, inputs: Properties) -> CheckFailure:
    """Names no property with a secret: the engine prints the value of a property that a failure names."""
    name = re.split(r"[.\[]", failure.property, maxsplit=1)[0]
    if not has_secret(inputs.get(name)):
        return failure
    return CheckFailure("", f"{failure.property}: {failure.reason}")


def _diff_response(changes: tuple[PropertyChange, ...]) -> Any:
    response = provider_pb2.DiffResponse
    return response(
        changes=response.DIFF_SOME if changes else response.DIFF_NONE,
        diffs=sorted({change.path.partition("[")[0] for change in changes}),
        detailedDiff={
            change.path: provider_pb2.PropertyDiff(
                kind=provider_pb2.PropertyDiff.Kind.Value(change.kind.name), inputDiff=True
            )
            for change in changes
        },
        hasDetailedDiff=True,
    )


async def _not_offered(context: Any, what: str) -> None:
    await context.abort(grpc.StatusCode.UNIMPLEMENTED, f"kafka-topology does not offer {what}: only resources.")


async def _abort_with(context: Any, code: grpc.StatusCode, message: str, detail: Any) -> NoReturn:
    """Fails the call with a detail that the engine understands."""
    status = status_pb2.Status(code=code.value[0], message=message)
    status.details.add().Pack(detail)
    await context.abort(code, message, (("grpc-status-details-bin", status.SerializeToString()),))
    raise AssertionError  # abort raises; this line is for the type checker
