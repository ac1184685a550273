"""The engine's calls, translated: protocol messages in and out, everything else elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

import grpc
from google.protobuf import empty_pb2

from .. import __version__
from . import config
from .access_kind import AccessKind
from .group_kind import GroupKind
from .kinds import Kind, Old, OperationError, State
from .outcomes import FailureKind
from .property_codec import decode, encode
from .protocol import plugin_pb2, provider_pb2, provider_pb2_grpc, status_pb2
from .quota_kind import QuotaKind
from .schema import schema_text
from .session import Session
from .topic_kind import TopicKind
from .user_kind import UserKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .admin import Admin
    from .changes import CheckFailure, PropertyChange
    from .engine_log import EngineLog
    from .properties import Properties
    from .settings import Settings

KINDS: Final[Mapping[str, Callable[[Session], Kind]]] = {
    "kafka-topology:index:Topic": TopicKind,
    "kafka-topology:index:ConsumerGroup": GroupKind,
    "kafka-topology:index:Access": AccessKind,
    "kafka-topology:index:User": UserKind,
    "kafka-topology:index:Quota": QuotaKind,
}
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


class Servicer(provider_pb2_grpc.ResourceProviderServicer):  # type: ignore[misc]  # generated, untyped
    """`connect` makes the admin for settings: the plugin's is real, a test may give its own."""

    def __init__(
        self,
        connect: Callable[[Settings], Admin],
        environment: Mapping[str, str],
        log: EngineLog,
    ) -> None:
        self._connect = connect
        self._environment = environment
        self._log = log
        self._session: Session | None = None
        self._kinds: dict[str, Kind] = {}

    async def Handshake(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        self._log.attach(request.engine_address)
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
        return _check_response(checked.inputs, checked.failures)

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
                "The provider's config lacks: " + ", ".join(key.name for key in missing),
                provider_pb2.ConfigureErrorMissingKeys(
                    missingKeys=[{"name": key.name, "description": key.description} for key in missing]
                ),
            )
        settings = config.resolve(inputs, self._environment)
        if settings is not None:
            self._log.redact = settings.redact
            session = self._session = Session(settings, self._connect, self._log.teller())
            self._kinds = {token: make(session) for token, make in KINDS.items()}
        return provider_pb2.ConfigureResponse(
            acceptSecrets=True, supportsPreview=True, acceptResources=True, acceptOutputs=True
        )

    async def Check(self, request: Any, context: Any) -> Any:
        kind = await self._kind(request, context)
        checked = kind.check(_name(request), decode(request.olds), decode(request.news))
        return _check_response(checked.inputs, checked.failures)

    async def Diff(self, request: Any, context: Any) -> Any:
        kind = await self._kind(request, context)
        old = decode(request.old_inputs) or decode(request.olds)
        return _diff_response(kind.diff(old, decode(request.news)))

    async def Create(self, request: Any, context: Any) -> Any:
        kind = await self._kind(request, context)
        new = decode(request.properties)
        try:
            if request.preview:
                state = await kind.preview_create(new)
            else:
                state = await kind.create(new, request.timeout)
        except OperationError as error:
            if not (request.preview and error.failure.kind is FailureKind.UNREACHABLE):
                await self._fail(context, error)
            await self._previewed_blindly(error)
            return provider_pb2.CreateResponse(properties=encode(new))
        await self._tell(state, request, context)
        # In a preview the id stays out: nothing has it yet.
        return provider_pb2.CreateResponse(id="" if request.preview else state.id, properties=encode(state.properties))

    async def Update(self, request: Any, context: Any) -> Any:
        kind = await self._kind(request, context)
        old, new = _old(request, request.olds), decode(request.news)
        try:
            if request.preview:
                state = await kind.preview_update(old, new)
            else:
                state = await kind.update(old, new, request.timeout)
        except OperationError as error:
            if not (request.preview and error.failure.kind is FailureKind.UNREACHABLE):
                await self._fail(context, error)
            await self._previewed_blindly(error)
            return provider_pb2.UpdateResponse(properties=encode({**old.properties, **new}))
        await self._tell(state, request, context)
        return provider_pb2.UpdateResponse(properties=encode(state.properties))

    async def Read(self, request: Any, context: Any) -> Any:
        kind = await self._kind(request, context)
        old = Old(request.id, decode(request.inputs), decode(request.properties))
        try:
            state = await kind.read(old)
        except OperationError as error:
            await self._fail(context, error)
        if state is None:
            return provider_pb2.ReadResponse()
        for warning in state.warnings:
            await self._log.say("WARNING", warning, request.urn)
        return provider_pb2.ReadResponse(id=state.id, inputs=encode(state.inputs), properties=encode(state.properties))

    async def Delete(self, request: Any, context: Any) -> Any:
        kind = await self._kind(request, context)
        try:
            await kind.delete(_old(request, request.properties), request.timeout)
        except OperationError as error:
            await self._fail(context, error)
        return empty_pb2.Empty()

    async def Cancel(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        self.cancel()
        return empty_pb2.Empty()

    def cancel(self) -> None:
        if self._session is not None:
            self._session.cancel()

    def close(self) -> None:
        """Once the server has stopped and no call is under way."""
        if self._session is not None:
            self._session.close()

    async def Invoke(self, request: Any, context: Any) -> Any:
        await _not_offered(context, f"the function '{request.tok}'")

    async def Call(self, request: Any, context: Any) -> Any:
        await _not_offered(context, f"the method '{request.tok}'")

    async def Construct(self, request: Any, context: Any) -> Any:
        await _not_offered(context, f"the component '{request.type}'")

    async def Parameterize(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        await _not_offered(context, "parameters")

    async def List(self, request: Any, context: Any) -> Any:  # noqa: ARG002
        await _not_offered(context, "listing resources")

    async def _kind(self, request: Any, context: Any) -> Kind:
        token = request.type or _type_of(request.urn)
        if token not in KINDS:
            await context.abort(
                grpc.StatusCode.INVALID_ARGUMENT,
                f"kafka-topology has no resource '{token}'. It has: {', '.join(KINDS)}.",
            )
        if token not in self._kinds:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "The provider has not been configured yet.")
        return self._kinds[token]

    async def _tell(self, state: State, request: Any, context: Any) -> None:
        for note in state.notes:
            await self._log.say("INFO", note, request.urn)
        for warning in state.warnings:
            await self._log.say("WARNING", warning, request.urn)
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

    async def _previewed_blindly(self, error: OperationError) -> None:
        await self._log.say_once("WARNING", _PREVIEWED_FROM_STATE + error.failure.message)

    async def _fail(self, context: Any, error: OperationError) -> NoReturn:
        await context.abort(_CODES[error.failure.kind], self._log.redact(error.failure.message))
        raise AssertionError from error  # abort raises; this only tells the type checker


def _old(request: Any, properties: Any) -> Old:
    return Old(request.id, decode(request.old_inputs), decode(properties))


def _name(request: Any) -> str:
    return str(request.name or request.urn.rpartition("::")[2])


def _type_of(urn: str) -> str:
    """The last part of `urn:pulumi:stack::project::parent$type::name` that names a type."""
    parts = urn.split("::")
    return parts[2].rpartition("$")[2] if len(parts) > 3 else ""


def _check_response(inputs: Properties, failures: Iterable[CheckFailure]) -> Any:
    return provider_pb2.CheckResponse(
        inputs=encode(inputs),
        failures=[provider_pb2.CheckFailure(property=failure.property, reason=failure.reason) for failure in failures],
    )


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
    raise AssertionError  # abort raises; this only tells the type checker
